"""The former place of `graphbrick.core.csr`."""

from graphbrick.core.csr import Csr as Csr
from graphbrick.core.csr import Ints as Ints
from graphbrick.core.csr import ScatteredCsr as ScatteredCsr
