"""Functions that draw one thing and return a value; Streamlit lists no file here as a page."""
