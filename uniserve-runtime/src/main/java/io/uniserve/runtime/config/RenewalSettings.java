package io.uniserve.runtime.config;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.access.RoleGrant;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * Settings of the section {@code security.renewal}.
 *
 * @param authority folder of the authority, for coordinators; empty if this process has none
 * @param before time before the end of a certificate at which a process or client renews its own
 * @param validity time for which the authority makes certificates valid
 * @param users users whose certificates the authority renews: each a name, the start of names and {@code *}, or {@code *}
 */
public record RenewalSettings(Optional<Path> authority, Duration before, Duration validity, List<String> users) {
    private static final String ANY = "*";
    /** Shortest time that can be set. */
    public static final Duration MIN = Duration.ofSeconds(1);

    /** Longest time that can be set. */
    public static final Duration MAX = Duration.ofDays(3_650);

    public RenewalSettings {
        users = List.copyOf(users);
    }

    /** True if the certificates of this user are renewed. */
    public boolean renews(String user) {
        return users.stream()
                .anyMatch(
                        pattern -> pattern.endsWith(ANY) ? user.startsWith(withoutAny(pattern)) : user.equals(pattern));
    }

    private static String withoutAny(String pattern) {
        return pattern.endsWith(ANY) ? pattern.substring(0, pattern.length() - ANY.length()) : pattern;
    }

    private static List<String> users(ConfigSection renewal) {
        List<String> users = renewal.texts("users");
        for (String pattern : users) {
            if (pattern.equals(ANY)) {
                continue;
            }
            try {
                RoleGrant.checkUser(withoutAny(pattern));
            } catch (UniserveException e) {
                throw renewal.invalidValue("users", "a list of names of users, starts of names and *, or *", e);
            }
        }
        return users;
    }

    static RenewalSettings of(ConfigSection root) {
        ConfigSection renewal = root.section("security").section("renewal");
        RenewalSettings settings = new RenewalSettings(
                renewal.optionalFile("authority"),
                renewal.duration("before", MIN, MAX),
                renewal.duration("validity", MIN, MAX),
                users(renewal));
        if (settings.before().compareTo(settings.validity()) >= 0) {
            throw new UniserveException(
                    ErrorCode.INVALID_CONFIGURATION,
                    "uniserve.security.renewal.before is not shorter than security.renewal.validity: a new certificate"
                            + " would be renewed at once");
        }
        return settings;
    }
}
