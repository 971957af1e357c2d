package io.uniserve.testkit.tck;

/** Class that a hostile input names. It leaves a mark in the system properties when an engine loads it. */
public final class HostileCode {
    /** System property that exists only if code of an input was run. */
    public static final String PROPERTY = "uniserve.tck.code-was-run";

    static {
        System.setProperty(PROPERTY, "true");
    }

    public HostileCode() {}
}
