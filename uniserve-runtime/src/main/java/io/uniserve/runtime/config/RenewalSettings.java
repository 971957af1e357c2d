package io.uniserve.runtime.config;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/**
 * Settings of the section {@code security.renewal}.
 *
 * @param authority folder of the authority, for coordinators; empty if this process has none
 * @param before time before the end of a certificate at which a process renews its own
 * @param validity time for which the authority makes certificates valid
 */
public record RenewalSettings(Optional<Path> authority, Duration before, Duration validity) {
    private static final Duration MIN = Duration.ofSeconds(1);
    private static final Duration MAX = Duration.ofDays(3_650);

    static RenewalSettings of(ConfigSection root) {
        ConfigSection renewal = root.section("security").section("renewal");
        RenewalSettings settings = new RenewalSettings(
                renewal.optionalFile("authority"),
                renewal.duration("before", MIN, MAX),
                renewal.duration("validity", MIN, MAX));
        if (settings.before().compareTo(settings.validity()) >= 0) {
            throw new UniserveException(
                    ErrorCode.INVALID_CONFIGURATION,
                    "uniserve.security.renewal.before is not shorter than security.renewal.validity: a new certificate"
                            + " would be renewed at once");
        }
        return settings;
    }
}
