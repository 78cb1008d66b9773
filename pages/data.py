"""Data: what the store holds, bring more, take it out."""

from pages.components.data.datasets import GONE, backups_form, delete_form, exports, show_datasets
from pages.components.data.find_items import show_search
from pages.components.data.import_form import upload
from pages.components.data.wording import show_wording
from pages.components.data.write_texts import sample_texts
from pages.components.shared.filters import show_simulated
from pages.components.shared.frame import frame, show_no_data
from pages.components.shared.notice import show_done

with frame("Data", title="Data", without_data=True) as study:
    show_done(GONE)
    if study.dataset:
        show_datasets(study)
        show_simulated(study)
        show_search(study)
    else:
        show_no_data(study.store, study.visit, on_data=True)
    upload(study)
    if study.dataset:
        sample_texts(study)
        show_wording(study)
        exports(study)
    backups_form(study)
    if study.dataset:
        delete_form(study)
