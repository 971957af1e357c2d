package io.uniserve.error;

/**
 * Failed attempt at a server or replica.
 *
 * @param where the server or replica, in a form that operators recognize
 * @param code the error code
 * @param message the error message
 */
public record Attempt(String where, ErrorCode code, String message) {
    @Override
    public String toString() {
        return where + " " + code + " " + message;
    }
}
