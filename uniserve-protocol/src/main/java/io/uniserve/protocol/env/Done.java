package io.uniserve.protocol.env;

/** Result of operations that return no value. */
public enum Done {
    DONE
}
