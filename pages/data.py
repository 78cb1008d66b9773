"""Data: what the store holds, bring more, take it out."""

from pages.components.frame import frame
from pages.components.importing import upload
from pages.components.library import add_attribute, exports, held
from pages.components.sampling import sample_texts

with frame("Data", title="Data") as study:
    held(study)
    upload(study)
    sample_texts(study)
    add_attribute(study)
    exports(study)
