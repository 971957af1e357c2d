package io.uniserve.runtime.security;

import io.uniserve.model.access.RoleGrant;

/** Name and password of a user. Immutable. Its text never has the password. */
public final class UserPassword {
    private final String user;
    private final char[] prepared;

    /**
     * @param password copied; the caller may overwrite it afterwards
     * @throws io.uniserve.error.UniserveException INVALID_ARGUMENT if the name is malformed, or as {@link Passwords#prepare} fails
     */
    public UserPassword(String user, char[] password) {
        this.user = RoleGrant.checkUser(user);
        this.prepared = Passwords.prepare(password);
    }

    /** Name of the user. */
    public String user() {
        return user;
    }

    /** Salted password, see {@link ScramSha256#saltedPassword}. Computes for some 10 ms or more. */
    public byte[] salted(byte[] salt, int iterations) {
        return ScramSha256.saltedPassword(prepared, salt, iterations);
    }

    /** The name. */
    @Override
    public String toString() {
        return "user " + user;
    }
}
