"""The words of ``Weft``, the same in code, YAML, JSON, screens and documents.

Modules: :mod:`quantities`, :mod:`questionnaire`, :mod:`catalog`, :mod:`knowledge`, :mod:`rules`,
:mod:`plan`, :mod:`answers`, :mod:`errors`.
"""
