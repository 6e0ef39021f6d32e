"""The interview without a screen: questions and answers in, events out.

``Conversation`` in :mod:`conversation`, its events in :mod:`events`, free text in :mod:`understanding`.
"""
