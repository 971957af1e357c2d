package io.uniserve.cli.command;

import io.uniserve.error.ErrorCode;

/** Exit codes of every command, as {@code uniserve --help} documents them. */
public final class ExitCode {
    /** Success. */
    public static final int OK = 0;
    /** A check, demo, bench or simulation ran and did not pass. */
    public static final int NOT_PASSED = 1;
    /** The command line is wrong. */
    public static final int USAGE = 2;
    /** The request is wrong: a name, a value, a document. */
    public static final int REFUSED = 3;
    /** A limit or a resource is exhausted. */
    public static final int EXHAUSTED = 4;
    /** The cluster could not be reached or could not answer in time. */
    public static final int UNAVAILABLE = 5;
    /** A fault inside Uniserve or a port. */
    public static final int FAULT = 6;

    private static final int SIGNALLED = 128;

    private ExitCode() {}

    /**
     * Returns the exit code of a daemon that a signal ended at once: by the second signal, or by one before the daemon served. It is that
     * of a process killed by the signal: 143 for SIGTERM, 130 for Ctrl-C, 129 for SIGHUP.
     */
    public static int ofSignal(int number) {
        return SIGNALLED + number;
    }

    /** Returns the exit code of a failure with this error code. */
    public static int of(ErrorCode code) {
        return switch (code.number() / 1000) {
            case 1 -> REFUSED;
            case 2 -> EXHAUSTED;
            case 3 -> UNAVAILABLE;
            default -> FAULT;
        };
    }
}
