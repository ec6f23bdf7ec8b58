"""Playing a scenario: the living network, commands, the judge's clock, and what readers see."""
