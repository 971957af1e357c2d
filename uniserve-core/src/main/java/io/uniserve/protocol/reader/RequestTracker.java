package io.uniserve.protocol.reader;

import io.uniserve.limit.Limits;
import io.uniserve.model.RequestId;
import io.uniserve.protocol.env.Ids;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;

/**
 * Gives out request ids and knows which are unfinished. Servers remember outcomes from a client's low water, its smallest
 * unfinished sequence, upwards, and at most {@link Limits#REQUESTS_PER_CLIENT_MAX} of them: so at most half that many
 * sequences are open at once under one client id. When one slow update holds the low water back, the next ones go on under
 * a new client id, of which at most {@value #LANES_MAX} are open. Safe for use by several threads.
 */
public final class RequestTracker {
    static final int LANES_MAX = 16;
    static final int WINDOW = Limits.REQUESTS_PER_CLIENT_MAX / 2;

    private final Ids ids;
    private final List<Lane> lanes = new ArrayList<>();

    public RequestTracker(Ids ids) {
        this.ids = ids;
    }

    /** A new request id, or empty while too many updates are unfinished. */
    public synchronized Optional<Ticket> begin() {
        for (Lane lane : lanes) {
            if (lane.next - lane.lowWater() < WINDOW) {
                return Optional.of(lane.begin());
            }
        }
        if (lanes.size() == LANES_MAX) {
            return Optional.empty();
        }
        Lane lane = new Lane(ids.next(), ids.next());
        lanes.add(lane);
        return Optional.of(lane.begin());
    }

    /** A request under way. */
    public interface Ticket {
        /** Its identity. */
        RequestId id();

        /** The smallest unfinished sequence of the same client id now. */
        long lowWater();

        /** The caller has the outcome and will not ask again. Idempotent. */
        void finish();

        /** The ticket of an id the application chose: nothing is known about its other ids, so nothing may be forgotten. */
        static Ticket chosen(RequestId id) {
            return new Ticket() {
                @Override
                public RequestId id() {
                    return id;
                }

                @Override
                public long lowWater() {
                    return 0;
                }

                @Override
                public void finish() {
                    // nobody tracks an id the application chose
                }
            };
        }
    }

    private final class Lane {
        private final long high;
        private final long low;
        private final TreeSet<Long> open = new TreeSet<>();
        private long next = 1;

        Lane(long high, long low) {
            this.high = high;
            this.low = low;
        }

        long lowWater() {
            return open.isEmpty() ? next : open.first();
        }

        Ticket begin() {
            RequestId id = new RequestId(high, low, next++);
            open.add(id.sequence());
            return new LaneTicket(this, id);
        }
    }

    private final class LaneTicket implements Ticket {
        private final Lane lane;
        private final RequestId id;

        LaneTicket(Lane lane, RequestId id) {
            this.lane = lane;
            this.id = id;
        }

        @Override
        public RequestId id() {
            return id;
        }

        @Override
        public long lowWater() {
            synchronized (RequestTracker.this) {
                return lane.lowWater();
            }
        }

        @Override
        public void finish() {
            synchronized (RequestTracker.this) {
                lane.open.remove(id.sequence());
            }
        }
    }
}
