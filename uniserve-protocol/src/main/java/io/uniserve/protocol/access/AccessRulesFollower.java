package io.uniserve.protocol.access;

import io.uniserve.model.registry.AccessRules;
import io.uniserve.protocol.RegistryPaths;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.Registry;
import io.uniserve.protocol.env.Registry.SessionEvent;
import io.uniserve.protocol.env.Registry.Versioned;
import io.uniserve.protocol.env.Timers;
import java.util.Optional;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Follower of the rules in the registry, for one process. It passes on each change: a watch reports it at once, and a read per second finds
 * those that a watch missed. A damaged node gives no rules at all, so
 * that every user is refused, until it is mended.
 *
 * <p>Runs on the loop of the registry. Not thread-safe.
 */
public final class AccessRulesFollower {
    private static final Logger LOG = LoggerFactory.getLogger(AccessRulesFollower.class);

    /** Period of the reads without a change. */
    private static final long PERIOD_NANOS = 1_000_000_000L;

    private final Registry registry;
    private final Timers timers;
    private final Consumer<Optional<AccessRules>> onRules;
    private int version = Registry.ABSENT - 1;
    private boolean reading;
    private boolean readAgain;

    /** @param rules receives the rules; empty if the node is damaged */
    public AccessRulesFollower(Registry registry, Timers timers, Consumer<Optional<AccessRules>> rules) {
        this.registry = registry;
        this.timers = timers;
        this.onRules = rules;
    }

    /** Starts to follow, for the life of the process. */
    public void start() {
        registry.onSession(event -> {
            if (event == SessionEvent.CONNECTED) {
                watch();
            }
        });
        watch();
        poll();
    }

    private void watch() {
        registry.watch(RegistryPaths.ACCESS, this::read);
        registry.sync(synced -> read()); // a new session may read older data than the one before
    }

    private void poll() {
        timers.after(PERIOD_NANOS, () -> {
            read();
            poll();
        });
    }

    private void read() {
        if (reading) {
            readAgain = true;
            return;
        }
        reading = true;
        readAgain = false;
        registry.read(RegistryPaths.ACCESS, outcome -> {
            reading = false;
            if (outcome instanceof Outcome.Ok<Versioned> ok) {
                onRead(ok.value());
            } else if (!outcome.error().code().retriable()) {
                LOG.error(
                        "the rules of users cannot be read, all users are refused: {}",
                        outcome.error().getMessage());
                onRules.accept(Optional.empty());
            }
            if (readAgain) {
                read();
            }
        });
    }

    private void onRead(Versioned found) {
        if (found.version() == version) {
            return;
        }
        version = found.version();
        if (found.version() == Registry.ABSENT) {
            onRules.accept(Optional.of(AccessRules.NONE));
        } else if (found.value() instanceof AccessRules rules) {
            onRules.accept(Optional.of(rules));
        } else {
            LOG.error("registry node {} holds no rules: all users are refused", RegistryPaths.ACCESS);
            onRules.accept(Optional.empty());
        }
    }
}
