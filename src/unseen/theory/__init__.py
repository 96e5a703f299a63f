"""What the paper's Section 3 promises, computed for a trained model: surrogate, Newton point, bounds, certificate.

Everything here is for a network with a linear head and the softmax loss, and for the transport cost
``c = 1/2 ||z - z0||^2`` of the text; ``paper_gamma`` reads a run's gamma in it. docs/theory.md has the statements.
"""

from unseen.theory.bounds import Bracket, Distance, theorem1_bound, theorem2_bracket
from unseen.theory.certificate import Certificate, certificate
from unseen.theory.head import Constants, constants, paper_gamma
from unseen.theory.surrogate import Surrogate, newton_point, regularizer, surrogate

__all__ = [
    "Bracket",
    "Certificate",
    "Constants",
    "Distance",
    "Surrogate",
    "certificate",
    "constants",
    "newton_point",
    "paper_gamma",
    "regularizer",
    "surrogate",
    "theorem1_bound",
    "theorem2_bracket",
]
