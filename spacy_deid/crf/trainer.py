"""CRFsuite's trainer."""

from __future__ import annotations

import pycrfsuite
from spacy.util import logger

_LOG_EVERY = 10


class Trainer(pycrfsuite.BaseTrainer):
    """CRFsuite's trainer, logging its progress instead of printing it."""

    iteration = 0

    def message(self, message: str) -> None:
        """Receive a line of CRFsuite's log."""
        if message.startswith("Number of features:"):
            logger.info("CRF: %s", message.strip().lower())
        elif message.startswith("***** Iteration #"):
            self.iteration = int(message.split("#")[1].split()[0])
        elif message.startswith("Loss:") and self.iteration % _LOG_EVERY == 0:
            logger.info("CRF: iteration %d, %s", self.iteration, message.strip().lower())
        elif "terminated with error" in message:
            logger.warning("CRF: %s", message.strip())
