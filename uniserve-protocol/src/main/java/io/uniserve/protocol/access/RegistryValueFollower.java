package io.uniserve.protocol.access;

import io.uniserve.error.UniserveException;
import io.uniserve.model.registry.AccessRules;
import io.uniserve.model.registry.RegistryValue;
import io.uniserve.model.registry.UserCredentials;
import io.uniserve.protocol.RegistryPaths;
import io.uniserve.protocol.RetryingReader;
import io.uniserve.protocol.env.Registry;
import io.uniserve.protocol.env.Registry.SessionEvent;
import io.uniserve.protocol.env.Registry.Versioned;
import io.uniserve.protocol.env.Timers;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Follower of one registry node that has one value, for one process: of the rules, or of the users with a password. It passes on each
 * change, and retries a failed read every second. A damaged node gives no value at all, so that every user that needs it is refused, until
 * it is repaired.
 *
 * <p>Runs on the loop of the registry. Not thread-safe.
 *
 * @param <V> type of the value
 */
public final class RegistryValueFollower<V extends RegistryValue> {
    private static final Logger LOG = LoggerFactory.getLogger(RegistryValueFollower.class);

    private static final long RETRY_NANOS = 1_000_000_000L;

    private final Registry registry;
    private final String path;
    private final Class<V> type;
    private final V none;
    private final RetryingReader<Versioned> reader;
    private final Consumer<Optional<V>> onValue;
    private @Nullable V last;
    private boolean damaged;
    private boolean expired;

    private RegistryValueFollower(
            Registry registry, Timers timers, String path, Class<V> type, V none, Consumer<Optional<V>> onValue) {
        this.registry = registry;
        this.path = path;
        this.type = type;
        this.none = none;
        this.onValue = onValue;
        this.reader = new RetryingReader<>(
                timers, RETRY_NANOS, done -> registry.read(path, done), this::onRead, this::onFailed);
    }

    /** @param rules receives the rules; empty if the node is damaged */
    public static RegistryValueFollower<AccessRules> ofRules(
            Registry registry, Timers timers, Consumer<Optional<AccessRules>> rules) {
        return new RegistryValueFollower<>(
                registry, timers, RegistryPaths.ACCESS, AccessRules.class, AccessRules.NONE, rules);
    }

    /** @param users receives the users with a password; empty if the node is damaged */
    public static RegistryValueFollower<UserCredentials> ofUsers(
            Registry registry, Timers timers, Consumer<Optional<UserCredentials>> users) {
        return new RegistryValueFollower<>(
                registry, timers, RegistryPaths.USERS, UserCredentials.class, UserCredentials.NONE, users);
    }

    /** Starts to follow, for the life of the process. */
    public void start() {
        registry.onSession(event -> {
            if (event == SessionEvent.EXPIRED) {
                expired = true;
            } else if (event == SessionEvent.CONNECTED && expired) {
                watch();
            }
        });
        watch();
    }

    private void watch() {
        expired = false;
        registry.watch(path, reader::requestRead);
        registry.sync(synced -> reader.requestRead()); // a new session may read older data than the one before
    }

    private void onRead(Versioned found) {
        if (found.version() == Registry.ABSENT) {
            onValue(none);
        } else if (type.isInstance(found.value())) {
            onValue(type.cast(found.value()));
        } else {
            onDamaged("it holds another value");
        }
    }

    private void onFailed(UniserveException error) {
        if (!error.code().retriable()) {
            onDamaged(error.getMessage());
        }
    }

    /** Passes on a value that differs from the last one. A node that was deleted and made anew may have the same version again. */
    private void onValue(V value) {
        if (value.equals(last)) {
            return;
        }
        last = value;
        damaged = false;
        onValue.accept(Optional.of(value));
    }

    private void onDamaged(String why) {
        if (damaged) {
            return;
        }
        LOG.error("registry node {} cannot be read, the users that need it are refused: {}", path, why);
        last = null;
        damaged = true;
        onValue.accept(Optional.empty());
    }
}
