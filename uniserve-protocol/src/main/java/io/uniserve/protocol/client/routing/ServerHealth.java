package io.uniserve.protocol.client.routing;

import io.uniserve.model.ServerId;

/**
 * Health of servers as seen by one client. A failed server is avoided for a time that doubles with every failure in a row. Then its share
 * of the load grows back over {@link RequestSettings#rampNanos} (slow start), so that a restarted server with cold caches is not
 * overloaded. Shared by all queries of a client. Thread-safe.
 */
public final class ServerHealth {
    private static final double FIRST_SHARE = 0.1;

    private final RequestSettings settings;
    private final CopyOnWriteMap<ServerId, Entry> entries = new CopyOnWriteMap<>();

    public ServerHealth(RequestSettings settings) {
        this.settings = settings;
    }

    /** Called for each request that is sent to the server. */
    public void onRequestSent(ServerId server) {
        entry(server).sent();
    }

    /** Called when a request has ended, with any result. */
    public void onRequestEnded(ServerId server) {
        entry(server).ended();
    }

    /** Called when the server has sent any reply. */
    public void onReply(ServerId server, long nowNanos) {
        entry(server).answered(nowNanos, settings);
    }

    /** Called when the server could not be reached or is silent. */
    public void onFailure(ServerId server, long nowNanos) {
        entry(server).failed(nowNanos, settings);
    }

    /** Factor for the server's share of the load: 0 while it is avoided, then growing from 0.1 to 1. */
    public double loadShare(ServerId server, long nowNanos) {
        Entry entry = entries.get(server);
        return entry == null ? 1 : entry.share(nowNanos, settings);
    }

    /** Number of this client's requests to the server without a reply. */
    public int outstanding(ServerId server) {
        Entry entry = entries.get(server);
        return entry == null ? 0 : entry.outstanding();
    }

    /** True if the server has sent any reply since this time. */
    public boolean hasRepliedSince(ServerId server, long nanos) {
        Entry entry = entries.get(server);
        return entry != null && entry.answeredSince(nanos);
    }

    private Entry entry(ServerId server) {
        return entries.get(server, Entry::new);
    }

    private static final class Entry {
        private int outstanding;
        private int failures;
        private boolean recovering;
        private long avoidUntil;
        private boolean everAnswered;
        private long lastAnswer;

        synchronized void sent() {
            outstanding++;
        }

        synchronized void ended() {
            outstanding--;
        }

        synchronized int outstanding() {
            return outstanding;
        }

        synchronized boolean answeredSince(long nanos) {
            return everAnswered && lastAnswer - nanos >= 0;
        }

        synchronized void answered(long now, RequestSettings settings) {
            everAnswered = true;
            lastAnswer = now;
            failures = 0;
            if (recovering && avoidUntil - now > 0) {
                avoidUntil = now;
            }
            if (recovering && now - avoidUntil >= settings.rampNanos()) {
                recovering = false;
            }
        }

        synchronized void failed(long now, RequestSettings settings) {
            if (recovering && avoidUntil - now > 0) {
                return; // many requests under way fail together: they count as one failure
            }
            long pause = Math.min(settings.avoidMaxNanos(), settings.avoidMinNanos() << Math.min(failures, 20));
            failures++;
            recovering = true;
            avoidUntil = now + pause;
        }

        synchronized double share(long now, RequestSettings settings) {
            if (!recovering) {
                return 1;
            }
            long since = now - avoidUntil;
            if (since < 0) {
                return 0;
            }
            return Math.min(1, FIRST_SHARE + (1 - FIRST_SHARE) * since / Math.max(1, settings.rampNanos()));
        }
    }
}
