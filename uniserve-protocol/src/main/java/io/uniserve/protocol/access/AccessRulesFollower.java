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
import org.jspecify.annotations.Nullable;
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
    private @Nullable AccessRules last;
    private boolean damaged;
    private boolean expired = true;
    private boolean syncing;
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
            if (event == SessionEvent.EXPIRED) {
                expired = true;
            } else if (event == SessionEvent.CONNECTED && expired) {
                watch();
            }
        });
        watch();
        poll();
    }

    private void watch() {
        expired = false;
        registry.watch(RegistryPaths.ACCESS, this::read);
        syncing = true; // a new session may read older data than the one before
        registry.sync(synced -> {
            syncing = false;
            read();
        });
    }

    private void poll() {
        timers.after(PERIOD_NANOS, () -> {
            read();
            poll();
        });
    }

    private void read() {
        if (reading || syncing) {
            readAgain = reading;
            return;
        }
        reading = true;
        readAgain = false;
        registry.read(RegistryPaths.ACCESS, outcome -> {
            reading = false;
            if (outcome instanceof Outcome.Ok<Versioned> ok) {
                onRead(ok.value());
            } else if (!outcome.error().code().retriable()) {
                onDamaged(outcome.error().getMessage());
            }
            if (readAgain) {
                read();
            }
        });
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
