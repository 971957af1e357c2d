package io.uniserve.protocol.tx;

import io.uniserve.codec.Bytes;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import io.uniserve.model.ActorState;
import io.uniserve.model.Routing.TableRoute;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.Timers;
import io.uniserve.protocol.message.VersionedRead;
import io.uniserve.protocol.reader.ClientContext;
import io.uniserve.protocol.reader.Query;
import io.uniserve.protocol.reader.QueryResult;
import io.uniserve.protocol.reader.ReadErrorAction;
import io.uniserve.protocol.reader.RouteIndex;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A read of several actors at one version (docs/protocol.md, section 4). Every actor is asked on one of its in-sync replicas; the
 * largest of what they say they are complete through, and of the client's floor, is the version of the read; whoever
 * answered for an older one is asked again, for that version. Usually all agree at once. A state that is gone meanwhile
 * begins the read anew. Never a partial answer, never a mixture.
 *
 * <p>A server may leave a version open that another server's driver has in flight. The answer counts where some server has denied
 * the version since the read began: nobody could know of it then, and so not when the read began. As a rule the driver's server is
 * among those asked, and no message more is needed. Else the actors are asked again, and their servers ask the driver.
 *
 * <p>Not thread-safe; the completion is called exactly once.
 */
public final class SnapshotRead {
    private static final long SLOW_NANOS = 10_000_000;

    private final ClientContext env;
    private final VersionWatermarks floors;
    private final Query query;
    private final Completion<Result> completion;
    private final ScatterRead scatter;
    private Timers.Cancel deadline = () -> {};
    private long tableId;
    private long at;
    private final long fixed;
    private int rounds = 1;
    private int restarts;
    private boolean oneVersion = true;
    /** Versions that nobody could know of at some moment of this read. */
    private final TreeSet<Long> denied = new TreeSet<>();
    /** Servers are to leave nothing open any more. */
    private boolean insists;
    /** The table's number that the version is of; 0 where it is not known. */
    private long number;

    private boolean looked;

    /** Values that have each actor once, all of this version of the table of this number, and in how many rounds they came. */
    public record Result(
            long tableId, long version, List<VersionedRead.Part> parts, int rounds, QueryResult.Stats stats) {
        public Result {
            parts = List.copyOf(parts);
        }

        /** The values by the first actor of each. */
        public Map<Integer, Bytes> values() {
            Map<Integer, Bytes> values = new TreeMap<>();
            parts.forEach(part -> values.put(part.actors().get(0), part.value()));
            return values;
        }

        /** The same parts. */
        public QueryResult asQueryResult() {
            return new QueryResult(
                    parts.stream().map(VersionedRead.Part::value).toList(),
                    parts.stream().map(VersionedRead.Part::actors).toList(),
                    stats);
        }
    }

    /** @param query its mode is not looked at */
    public SnapshotRead(
            ClientContext env,
            SnapshotReadClient network,
            VersionWatermarks floors,
            Query query,
            Completion<Result> completion) {
        this(env, network, floors, query, 0, completion);
    }

    /**
     * A read of this very version, as told by an earlier read.
     *
     * @param version VERSION_GONE where no replica keeps its state any more; 0 for the newest
     */
    public SnapshotRead(
            ClientContext env,
            SnapshotReadClient network,
            VersionWatermarks floors,
            Query query,
            long version,
            Completion<Result> completion) {
        this.fixed = version;
        this.at = version;
        this.env = env;
        this.floors = floors;
        this.query = query;
        this.completion = completion;
        this.scatter = new ScatterRead(env, network, List.of(query), SLOW_NANOS, new Rules());
    }

    /**
     * Reads each actor as of now, in one round where nothing is behind the client's floor or left open; no two actors need agree. That
     * is what level SERIALIZABLE promises. Call before the start.
     */
    public SnapshotRead eachAsOfNow() {
        oneVersion = false;
        return this;
    }

    /** The version is of the table of this number: VERSION_GONE where there is another of its name by now. Call before the start. */
    public SnapshotRead ofNumber(long tableId) {
        number = tableId;
        return this;
    }

    /** Sends the first requests. */
    public void start() {
        Optional<TableRoute> route = env.routing().current().table(query.table());
        if (number != 0 && route.filter(this::isMeant).isEmpty()) {
            other();
            return;
        }
        if (route.isEmpty()) {
            end(error(ErrorCode.TABLE_NOT_FOUND, "table " + query.table() + " is not known"));
            return;
        }
        Optional<UniserveException> restored = floors.restored(route.get());
        if (restored.isPresent()) {
            end(Outcome.err(restored.get()));
            return;
        }
        tableId = route.get().meta().tableId();
        int count = route.get().map().actors().size();
        for (int actor : new TreeSet<>(query.actors().orElseGet(() -> all(count)))) {
            if (actor < 0 || actor >= count) {
                end(error(ErrorCode.INVALID_ARGUMENT, "actor " + actor + " of " + count));
                return;
            }
            scatter.add(0, actor);
        }
        deadline = env.timers().after(Math.max(1, scatter.left()), () -> {
            String open =
                    scatter.slots().stream().filter(slot -> slot.part() == null).count() + " actors";
            end(error(
                    ErrorCode.DEADLINE_EXCEEDED,
                    "no answer from " + open + " in time; the last failure: " + scatter.last()));
        });
        if (scatter.slots().isEmpty()) {
            settle();
        } else {
            dispatch();
        }
    }

    private boolean isMeant(TableRoute route) {
        return route.meta().tableId() == number;
    }

    /** The map here is older than the version, or the table is another one. */
    private void other() {
        if (looked) {
            end(error(
                    ErrorCode.VERSION_GONE,
                    "table " + query.table() + " is not number " + number + " any more, whose version was asked for"));
            return;
        }
        looked = true;
        env.routing().refresh(refreshed -> {
            if (!scatter.isStopped()) {
                start();
            }
        });
    }

    /** Gives up; the completion hears CANCELLED. */
    public void cancel() {
        end(error(ErrorCode.CANCELLED, "the query was cancelled"));
    }

    private static List<Integer> all(int count) {
        List<Integer> all = new ArrayList<>();
        for (int actor = 0; actor < count; actor++) {
            all.add(actor);
        }
        return all;
    }

    private static Outcome<Result> error(ErrorCode code, String message) {
        return Outcome.err(new UniserveException(code, message));
    }

    private void end(Outcome<Result> outcome) {
        if (scatter.stop()) {
            deadline.cancel();
            completion.done(outcome);
        }
    }

    private Optional<TableRoute> route(RouteIndex index) {
        return index.table(query.table()).filter(found -> found.meta().tableId() == tableId);
    }

    /** Asks for actors that have no answer and no request in flight. */
    private void dispatch() {
        if (route(env.routing().current()).isEmpty()) {
            ErrorCode code = number == 0 ? ErrorCode.TABLE_NOT_FOUND : ErrorCode.VERSION_GONE;
            end(error(code, "table " + query.table() + " was dropped while the query ran"));
            return;
        }
        scatter.dispatch();
    }

    private final class Rules implements ScatterPolicy {
        @Override
        public @Nullable ActorState find(RouteIndex index, ScatterRead.Slot slot) {
            return route(index)
                    .map(route -> route.map().actors().get(slot.actor()))
                    .orElse(null);
        }

        @Override
        public boolean isObsolete(RouteIndex index) {
            return route(index).isEmpty();
        }

        @Override
        public boolean sendsPartly() {
            return true;
        }

        @Override
        public boolean asksBeside() {
            return true;
        }

        @Override
        public boolean cancelsEnded() {
            return true;
        }

        @Override
        public VersionedRead request(int index, List<VersionedRead.Target> targets, int together) {
            // Worth while where the driver's server is likely to be among those asked.
            boolean defers = at == 0
                    && !insists
                    && together > 1
                    && 2 * together
                            >= env.routing().current().routing().servers().size();
            return new VersionedRead(
                    query.table(),
                    tableId,
                    targets,
                    query.operator(),
                    query.parameters(),
                    at,
                    true,
                    defers,
                    false,
                    Math.max(1, scatter.left()));
        }

        @Override
        public void received(VersionedRead.Reply reply) {
            denied.addAll(reply.denied());
        }

        @Override
        public ReadErrorAction meaning(ErrorCode code) {
            if (code == ErrorCode.VERSION_GONE) { // another replica may have the given version yet
                return fixed > 0 ? ReadErrorAction.ONCE_EACH : ReadErrorAction.RETRY;
            }
            return ReadErrorAction.of(code);
        }

        @Override
        public boolean isOutdated(ErrorCode code) {
            return fixed == 0 && code == ErrorCode.VERSION_GONE;
        }

        @Override
        public void advance(boolean outdated) {
            if (outdated) {
                restart();
            } else {
                settle();
            }
        }

        @Override
        public void exhausted() {
            scatter.retryAfterPause();
        }

        @Override
        public void retry() {
            dispatch();
        }

        @Override
        public void fail(UniserveException error) {
            end(Outcome.err(error));
        }
    }

    private void restart() {
        if (++restarts > Limits.VERSION_RESTARTS_MAX) {
            end(error(ErrorCode.VERSION_GONE, "version " + at + " is not kept any more: " + scatter.last()));
            return;
        }
        scatter.drop();
        at = 0;
        askAgain(slot -> true);
    }

    /** Goes on when all have answered: done when they agree, else once more for those that are behind. */
    private void settle() {
        if (!scatter.isComplete()) {
            dispatch();
            return;
        }
        long version = fixed > 0 ? fixed : Math.max(at, floors.of(tableId));
        for (ScatterRead.Slot slot : scatter.slots()) {
            version = oneVersion ? Math.max(version, at(slot)) : version;
        }
        scatter.drop(); // calls beside those that were answered
        if (scatter.slots().stream().anyMatch(this::leftOpen)) {
            insists = true;
            askAgain(this::leftOpen);
            return;
        }
        long wanted = version;
        if (scatter.slots().stream().anyMatch(slot -> at(slot) < wanted)) {
            at = wanted;
            askAgain(slot -> at(slot) < wanted);
        } else {
            succeed(version);
        }
    }

    /** The version through which an actor's answer is complete. */
    private static long at(ScatterRead.Slot slot) {
        return Objects.requireNonNull(slot.part()).at();
    }

    /**
     * Whether the slot's answer leaves a version open that nobody has denied. That it has the version by now, or that another answer
     * has it, does not help: a later version may be prepared behind it, which only its server can tell.
     */
    private boolean leftOpen(ScatterRead.Slot slot) {
        return !denied.containsAll(slot.open());
    }

    private void askAgain(Predicate<ScatterRead.Slot> which) {
        scatter.slots().stream().filter(which).toList().forEach(ScatterRead.Slot::reset);
        rounds++;
        dispatch();
    }

    /** Every actor's answer is complete through this version at least. */
    private void succeed(long agreed) {
        long version = Long.MAX_VALUE;
        long newest = 0;
        List<VersionedRead.Part> parts = new ArrayList<>();
        for (ScatterRead.Slot slot : scatter.slots()) { // ascending, so each part where its first actor comes
            VersionedRead.Part part = Objects.requireNonNull(slot.part());
            newest = Math.max(newest, part.at());
            version = Math.min(version, part.at());
            if (slot.actor() == Collections.min(part.actors())) {
                parts.add(part);
            }
        }
        version = version == Long.MAX_VALUE ? agreed : version;
        floors.raise(tableId, Math.max(newest, version), env.clock().nanos());
        end(Outcome.ok(new Result(tableId, version, parts, rounds, scatter.stats())));
    }
}
