package io.uniserve.error;

/**
 * One thing that was tried and failed.
 *
 * @param where the server or replica, as an operator would recognise it
 * @param code how it failed
 * @param message what it said
 */
public record Attempt(String where, ErrorCode code, String message) {
    @Override
    public String toString() {
        return where + " " + code + " " + message;
    }
}
