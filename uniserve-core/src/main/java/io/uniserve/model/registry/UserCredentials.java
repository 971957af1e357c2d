package io.uniserve.model.registry;

import io.uniserve.codec.Bytes;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import io.uniserve.model.access.UserCredential;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * All users of a cluster that have a password. Immutable.
 *
 * @param saltKey secret from which unknown users get a salt, the same at every process; empty as long as no user ever had a password
 * @param users the users, in order of their names and without duplicates
 */
public record UserCredentials(Bytes saltKey, List<UserCredential> users) implements RegistryValue {
    /** No user. */
    public static final UserCredentials NONE = new UserCredentials(Bytes.EMPTY, List.of());

    /** Fails with INVALID_ARGUMENT if a name occurs twice or the key has another size, and with TOO_LARGE beyond the limit of users. */
    public UserCredentials {
        users = users.stream()
                .sorted(Comparator.comparing(UserCredential::user))
                .toList();
        if (users.size() > Limits.USERS_MAX) {
            throw new UniserveException(
                    ErrorCode.TOO_LARGE,
                    users.size() + " users with a password: at most " + Limits.USERS_MAX + "; use certificates");
        }
        for (int i = 1; i < users.size(); i++) {
            if (users.get(i).user().equals(users.get(i - 1).user())) {
                throw UniserveException.invalid(
                        "user " + users.get(i).user() + " has two passwords: remove one of them");
            }
        }
        if (saltKey.size() != Limits.PASSWORD_KEY_BYTES && !(saltKey.size() == 0 && users.isEmpty())) {
            throw UniserveException.invalid(
                    "key of salts has " + saltKey.size() + " bytes, it must have " + Limits.PASSWORD_KEY_BYTES);
        }
    }

    /** The credential of the user; empty if it has no password. */
    public Optional<UserCredential> find(String user) {
        int low = 0;
        int high = users.size() - 1;
        while (low <= high) {
            int middle = (low + high) >>> 1;
            int order = users.get(middle).user().compareTo(user);
            if (order == 0) {
                return Optional.of(users.get(middle));
            }
            if (order < 0) {
                low = middle + 1;
            } else {
                high = middle - 1;
            }
        }
        return Optional.empty();
    }

    /** These users, with this credential in place of an earlier one of the same user. */
    public UserCredentials with(UserCredential credential) {
        List<UserCredential> next = new ArrayList<>(without(credential.user()).users());
        next.add(credential);
        return new UserCredentials(saltKey, next);
    }

    /** These users without one. */
    public UserCredentials without(String user) {
        return new UserCredentials(
                saltKey, users.stream().filter(one -> !one.user().equals(user)).toList());
    }

    /** These users with a key of salts. */
    public UserCredentials withSaltKey(Bytes key) {
        return new UserCredentials(key, users);
    }

    /** The users' names; never a key. */
    @Override
    public String toString() {
        return "users " + users;
    }
}
