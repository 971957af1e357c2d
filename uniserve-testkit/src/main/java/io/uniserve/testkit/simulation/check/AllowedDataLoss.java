package io.uniserve.testkit.simulation.check;

/** Why an actor of a run is not judged in full: what it lost, it may have lost. */
public enum AllowedDataLoss {
    DAMAGED_LAST_COPY("the last copy in sync was a damaged one"),
    TAKEN_OVER_BEHIND("taken over with what was shipped, as the table asks"),
    ROTTEN_BACKUP("away, and an object of its backup stays wrong");

    private final String reason;

    AllowedDataLoss(String reason) {
        this.reason = reason;
    }

    /** The reason in words. */
    public String reason() {
        return reason;
    }
}
