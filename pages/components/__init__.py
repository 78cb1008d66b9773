"""Functions that draw one thing and return a value. Streamlit lists no file of this folder as a
page.
"""
