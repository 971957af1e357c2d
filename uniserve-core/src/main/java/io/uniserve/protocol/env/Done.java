package io.uniserve.protocol.env;

/** The value of operations that return nothing. */
public enum Done {
    DONE
}
