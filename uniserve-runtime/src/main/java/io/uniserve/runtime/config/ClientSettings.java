package io.uniserve.runtime.config;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.Address;
import io.uniserve.model.access.RoleGrant;
import io.uniserve.protocol.client.routing.RequestSettings;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * Settings of a client; {@code reference.conf} explains each.
 *
 * @param user user that logs in with a password; empty for none
 * @param passwordFile file with the user's password; empty if it is given otherwise
 * @param renewCertificate true if a client renews its certificate
 */
public record ClientSettings(
        List<Address> bootstrap,
        Duration queryDeadline,
        Duration updateDeadline,
        Duration connectTimeout,
        Optional<String> user,
        Optional<Path> passwordFile,
        boolean renewCertificate,
        RequestSettings requestSettings) {
    private static final Duration MS = Duration.ofMillis(1);
    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final Duration MINUTES_10 = Duration.ofMinutes(10);
    private static final Duration HOUR = Duration.ofHours(1);

    static ClientSettings of(ConfigSection root) {
        ConfigSection client = root.section("client");
        return new ClientSettings(
                client.addresses("bootstrap"),
                client.duration("query-deadline", MS, HOUR),
                client.duration("update-deadline", MS, HOUR),
                client.duration("connect-timeout", Duration.ofMillis(10), MINUTES_10),
                user(client),
                passwordFile(client),
                client.flag("renew-certificate"),
                requestSettings(client));
    }

    private static Optional<String> user(ConfigSection client) {
        String user = client.text("user").strip();
        return user.isEmpty() ? Optional.empty() : Optional.of(RoleGrant.checkUser(user));
    }

    private static Optional<Path> passwordFile(ConfigSection client) {
        Optional<Path> file = client.optionalFile("password-file");
        if (file.isPresent() && user(client).isEmpty()) {
            throw new UniserveException(
                    ErrorCode.INVALID_CONFIGURATION,
                    "uniserve.client.password-file is set without uniserve.client.user: name the user");
        }
        return file;
    }

    private static RequestSettings requestSettings(ConfigSection client) {
        ConfigSection hedge = client.section("hedge");
        return new RequestSettings(
                hedge.duration("delay-min", Duration.ZERO, MINUTE).toNanos(),
                hedge.duration("delay-cold", MS, MINUTE).toNanos(),
                (int) Math.round(hedge.fraction("budget", 1) * 1_000),
                client.duration("silence", Duration.ofMillis(10), HOUR).toNanos(),
                client.duration("backoff-min", MS, MINUTE).toNanos(),
                client.duration("backoff-max", MS, MINUTE).toNanos(),
                client.duration("avoid-min", MS, MINUTES_10).toNanos(),
                client.duration("avoid-max", MS, MINUTES_10).toNanos(),
                client.duration("ramp", Duration.ZERO, MINUTES_10).toNanos(),
                client.duration("update-attempt", Duration.ofMillis(10), HOUR).toNanos());
    }
}
