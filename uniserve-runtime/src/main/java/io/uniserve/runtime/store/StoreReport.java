package io.uniserve.runtime.store;

import java.util.List;

/** Result of the examination of a store. */
public record StoreReport(String location, List<Check> checks) {
    public StoreReport {
        checks = List.copyOf(checks);
    }

    /** Verdict on one property. */
    public enum Verdict {
        OK,
        /** Uniserve works without it. */
        WARNING,
        /** Uniserve cannot use the store. */
        FAILED
    }

    /**
     * One property of the store.
     *
     * @param name such as {@code conditional put}
     * @param text what was seen, and the remedy if it is not as it should be
     */
    public record Check(String name, Verdict verdict, String text) {}

    /** True if Uniserve can use the store. */
    public boolean isUsable() {
        return checks.stream().noneMatch(check -> check.verdict() == Verdict.FAILED);
    }
}
