package io.uniserve.protocol;

import io.uniserve.limit.Limits;
import io.uniserve.protocol.env.Registry.SessionEvent;
import java.util.Optional;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Connection of one daemon to its registry: time of the last confirmation, and state of the session. A loss is logged at once, and then at
 * most every {@link Limits#REGISTRY_LOSS_LOG_MS}. It has no clock of its own: callers pass the time.
 */
public final class RegistryConnectionMonitor {
    private static final Logger LOG = LoggerFactory.getLogger(RegistryConnectionMonitor.class);
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
     * @param daemon name of the daemon in log lines
     * @param now time of the start, which counts as the last confirmation
     * @param limitNanos time without confirmation after which contact is lost
     * @param effect effect of a loss, for the log
     */
    public RegistryConnectionMonitor(String daemon, long now, long limitNanos, String effect) {
        this.daemon = daemon;
        this.limitNanos = limitNanos;
        this.effect = effect;
        this.confirmedAt = now;
    }

    /** Sets the source of findings about the registry that are added to every report of a loss. */
    public RegistryConnectionMonitor withFindings(Supplier<Optional<String>> known) {
        finding = known;
        return this;
    }

    /** Notes that a write or check that was sent at this time has succeeded. */
    public void onConfirmed(long sentAt, long now) {
        confirmedOnce = true;
        if (sentAt - confirmedAt > 0) {
            confirmedAt = sentAt;
        }
        tick(now);
    }

    /** Handles an event of the session. */
    public void onSessionEvent(SessionEvent event, long now) {
        switch (event) {
            case CONNECTED -> suspended = false;
            case SUSPENDED -> {
                onLost(now);
                suspended = true;
            }
            case EXPIRED -> {
                onLost(now);
                suspended = true;
                expired = true;
            }
        }
        tick(now);
    }

    /** Notes that the daemon has its node in a new session. */
    public void onRegistered(long now) {
        expired = false;
        onConfirmed(now, now);
    }

    private void onLost(long now) {
        if (!suspended && !expired) {
            lostAt = now;
        }
    }

    /** Logs a loss, and its end. */
    public void tick(long now) {
        Optional<String> trouble = lossReason(now);
        if (trouble.isEmpty()) {
            if (logged) {
                logged = false;
                LOG.info("{}: connection to the registry is back", daemon);
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

    /** Reason why this daemon has no contact; empty if it has. */
    public Optional<String> lossReason(long now) {
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
