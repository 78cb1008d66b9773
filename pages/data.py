"""Data: what the store holds, bring more, take it out."""

from pages.components.data.datasets import add_attribute, exports, held
from pages.components.data.generate_form import sample_texts
from pages.components.data.import_form import upload
from pages.components.shared.frame import frame

with frame("Data", title="Data") as study:
    held(study)
    upload(study)
    sample_texts(study)
    add_attribute(study)
    exports(study)
