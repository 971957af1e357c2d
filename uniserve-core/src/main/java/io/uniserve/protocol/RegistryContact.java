package io.uniserve.protocol;

import io.uniserve.limit.Limits;
import io.uniserve.protocol.env.Registry.SessionEvent;
import java.util.Optional;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Contact of one daemon with its registry: the time of the last confirmation, and whether the session is connected. A loss is
 * logged at once, then at most every {@link Limits#REGISTRY_LOSS_LOG_MS}. A pure rule on the times that it is given.
 */
public final class RegistryContact {
    private static final Logger LOG = LoggerFactory.getLogger(RegistryContact.class);
    private static final long MILLI = 1_000_000;

    private final String daemon;
    private final long limitNanos;
    private final String effect;
    private long confirmedAt;
    private boolean confirmedOnce;
    private boolean suspended;
    private boolean expired;
    private long lostAt;
    private long loggedAt;
    private boolean logged;
    private Supplier<Optional<String>> finding = Optional::empty;

    /**
     * @param daemon as log lines name it
     * @param now time of the start, which counts as the last confirmation
     * @param limitNanos contact is lost where nothing was confirmed for so long
     * @param effect of a loss, for the log
     */
    public RegistryContact(String daemon, long now, long limitNanos, String effect) {
        this.daemon = daemon;
        this.limitNanos = limitNanos;
        this.effect = effect;
        this.confirmedAt = now;
    }

    /** What is known of the registry while contact is lost is part of every report of the loss. */
    public RegistryContact explainedBy(Supplier<Optional<String>> known) {
        finding = known;
        return this;
    }

    /** A write or check that was sent at this time has succeeded. */
    public void confirmed(long sentAt, long now) {
        confirmedOnce = true;
        if (sentAt - confirmedAt > 0) {
            confirmedAt = sentAt;
        }
        tick(now);
    }

    /** The session's event at this time. */
    public void on(SessionEvent event, long now) {
        switch (event) {
            case CONNECTED -> suspended = false;
            case SUSPENDED -> {
                lost(now);
                suspended = true;
            }
            case EXPIRED -> {
                lost(now);
                suspended = true;
                expired = true;
            }
        }
        tick(now);
    }

    /** The daemon has its node in a new session. */
    public void registered(long now) {
        expired = false;
        confirmed(now, now);
    }

    private void lost(long now) {
        if (!suspended && !expired) {
            lostAt = now;
        }
    }

    /** Time passes: logs a loss and its end. */
    public void tick(long now) {
        Optional<String> trouble = trouble(now);
        if (trouble.isEmpty()) {
            if (logged) {
                logged = false;
                LOG.info("{}: contact with the registry is back", daemon);
            }
        } else if (!logged || now - loggedAt >= Limits.REGISTRY_LOSS_LOG_MS * MILLI) {
            logged = true;
            loggedAt = now;
            LOG.warn("{}: {}: {}", daemon, trouble.get(), effect);
        }
    }

    /** Milliseconds since the last confirmation; -1 before the first. */
    public long ageMillis(long now) {
        return confirmedOnce ? Math.max(0, (now - confirmedAt) / MILLI) : -1;
    }

    /** Why this daemon has no contact; empty where it has. */
    public Optional<String> trouble(long now) {
        return loss(now)
                .map(loss -> finding.get().map(found -> loss + ": " + found).orElse(loss));
    }

    private Optional<String> loss(long now) {
        if (expired) {
            return Optional.of("its registry session expired " + seconds(now - lostAt)
                    + " ago and it has not registered in a new one yet");
        }
        if (suspended) {
            return Optional.of("the connection to the registry was lost " + seconds(now - lostAt) + " ago");
        }
        if (now - confirmedAt > limitNanos) {
            return Optional.of("the registry has confirmed nothing for " + seconds(now - confirmedAt));
        }
        return Optional.empty();
    }

    private static String seconds(long nanos) {
        long tenths = Math.max(0, nanos) / (100 * MILLI);
        return tenths / 10 + "." + tenths % 10 + " s";
    }
}
