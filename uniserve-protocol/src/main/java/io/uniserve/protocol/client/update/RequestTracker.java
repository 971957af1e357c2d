package io.uniserve.protocol.client.update;

import io.uniserve.limit.Limits;
import io.uniserve.model.RequestId;
import io.uniserve.protocol.env.IdGenerator;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;

/**
 * Source of request ids that tracks unfinished requests. Servers keep outcomes from a client's low-water mark on, its smallest unfinished
 * sequence number, and at most {@link Limits#REQUESTS_PER_CLIENT_MAX}. So one client id has at most half that many sequence numbers open.
 * If one slow update holds back the low-water mark, later updates get another client id, of which at most {@value #LANES_MAX} are open.
 * Thread-safe.
 */
public final class RequestTracker {
    static final int LANES_MAX = 16;
    public static final int WINDOW = Limits.REQUESTS_PER_CLIENT_MAX / 2;

    private final IdGenerator ids;
    private final List<Lane> lanes = new ArrayList<>();

    public RequestTracker(IdGenerator ids) {
        this.ids = ids;
    }

    /** A new request id; empty if too many updates are unfinished. */
    public synchronized Optional<Ticket> nextRequest() {
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

        /** The smallest unfinished sequence number of the same client id at this moment. */
        long lowWater();

        /** Called when the caller has the outcome and will not retry. Idempotent. */
        void finish();

        /** Ticket of an id that the application chose. The state of its other ids is unknown, so servers must not forget any outcome. */
        static Ticket withId(RequestId id) {
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
                    // ids of the application are not tracked
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
