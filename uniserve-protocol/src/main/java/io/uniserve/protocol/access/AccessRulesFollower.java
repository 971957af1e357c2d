package io.uniserve.protocol.access;

import io.uniserve.error.UniserveException;
import io.uniserve.model.registry.AccessRules;
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
 * Follower of the rules in the registry, for one process. It passes on each change, and retries a failed read every second. A damaged node
 * gives no rules at all, so that every user is refused, until it is repaired.
 *
 * <p>Runs on the loop of the registry. Not thread-safe.
 */
public final class AccessRulesFollower {
    private static final Logger LOG = LoggerFactory.getLogger(AccessRulesFollower.class);

    private static final long RETRY_NANOS = 1_000_000_000L;

    private final Registry registry;
    private final RetryingReader<Versioned> reader;
    private final Consumer<Optional<AccessRules>> onRules;
    private @Nullable AccessRules last;
    private boolean damaged;
    private boolean expired;

    /** @param rules receives the rules; empty if the node is damaged */
    public AccessRulesFollower(Registry registry, Timers timers, Consumer<Optional<AccessRules>> rules) {
        this.registry = registry;
        this.onRules = rules;
        this.reader = new RetryingReader<>(
                timers, RETRY_NANOS, done -> registry.read(RegistryPaths.ACCESS, done), this::onRead, this::onFailed);
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
        registry.watch(RegistryPaths.ACCESS, reader::requestRead);
        registry.sync(synced -> reader.requestRead()); // a new session may read older data than the one before
    }

    private void onRead(Versioned found) {
        if (found.version() == Registry.ABSENT) {
            onRules(AccessRules.NONE);
        } else if (found.value() instanceof AccessRules rules) {
            onRules(rules);
        } else {
            onDamaged("it holds another value");
        }
    }

    private void onFailed(UniserveException error) {
        if (!error.code().retriable()) {
            onDamaged(error.getMessage());
        }
    }

    /** Passes on rules that differ from the last ones. A node that was deleted and made anew may have the same version again. */
    private void onRules(AccessRules rules) {
        if (rules.equals(last)) {
            return;
        }
        last = rules;
        damaged = false;
        onRules.accept(Optional.of(rules));
    }

    private void onDamaged(String why) {
        if (damaged) {
            return;
        }
        LOG.error("registry node {} cannot be read, all users are refused: {}", RegistryPaths.ACCESS, why);
        last = null;
        damaged = true;
        onRules.accept(Optional.empty());
    }
}
