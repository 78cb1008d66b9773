"""Data: what the store holds, bring more, take it out."""

from pages.components.data.backups_form import backups_form
from pages.components.data.browse import browse
from pages.components.data.datasets import exports, held
from pages.components.data.delete_form import delete_form, show_deleted
from pages.components.data.generate_form import sample_texts
from pages.components.data.import_form import upload
from pages.components.data.wording import show_wording
from pages.components.shared.frame import frame

with frame("Data", title="Data") as study:
    show_deleted()
    held(study)
    browse(study)
    upload(study)
    sample_texts(study)
    show_wording(study)
    exports(study)
    backups_form(study)
    delete_form(study)
