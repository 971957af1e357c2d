package io.uniserve.simulator.check;

/** Reason why the checks accept lost data of an actor in this run. */
public enum AllowedDataLoss {
    DAMAGED_LAST_COPY("the last copy in sync was a damaged one"),
    TAKEN_OVER_BEHIND("taken over with what was shipped, as the table asks"),
    ROTTEN_BACKUP("away, and an object of its backup stays wrong");

    private final String reason;

    AllowedDataLoss(String reason) {
        this.reason = reason;
    }

    /** The reason as text for the report. */
    public String reason() {
        return reason;
    }
}
