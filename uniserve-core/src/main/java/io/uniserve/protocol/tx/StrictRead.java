package io.uniserve.protocol.tx;

import io.uniserve.codec.Bytes;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.ActorState;
import io.uniserve.model.Address;
import io.uniserve.model.Routing.TableRoute;
import io.uniserve.model.ServerId;
import io.uniserve.model.TableName;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.Timers;
import io.uniserve.protocol.message.ActorFailure;
import io.uniserve.protocol.message.ConsistentCut;
import io.uniserve.protocol.message.VersionedRead;
import io.uniserve.protocol.reader.ClientContext;
import io.uniserve.protocol.reader.Query;
import io.uniserve.protocol.reader.QueryResult;
import io.uniserve.protocol.reader.ReadErrorAction;
import io.uniserve.protocol.reader.RouteIndex;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A strict read of one or several tables (docs/protocol.md, section 4): a server finds the versions and epochs of all of them as of one
 * moment, then in-sync replicas of these epochs are asked for these versions. It rests on no lease and so on no clock. Where a
 * replica has moved on, or a state is gone, it begins anew with another moment. Never a partial answer, never a mixture.
 *
 * <p>Not thread-safe; the completion is called exactly once.
 */
public final class StrictRead {
    private static final long PAUSE_NANOS = 40_000_000;
    private static final long CUT_NANOS = 2_000_000_000;
    private static final long SLOW_NANOS = 2_500_000_000L;

    private final ClientContext env;
    private final SnapshotReadClient network;
    private final ConsistentCutClient cuts;
    private final VersionWatermarks floors;
    private final List<Query> queries;
    private final Completion<List<Result>> completion;
    private final List<Slot> slots = new ArrayList<>();
    private final List<ServerId> tried = new ArrayList<>();
    private final List<Timers.Cancel> calls = new ArrayList<>();
    private Timers.Cancel deadline = () -> {};
    private @Nullable ConsistentCut consistentCut;
    private boolean once;
    /** Whether a replica has answered, the map is another than at the moment, and all replicas are to be asked again. */
    private boolean answered;

    private boolean moved;
    /** Of a read of a given moment: whether a replica has it no more, and whether a newer map was asked for. */
    private boolean gone;

    private boolean looked;
    private boolean paused;
    private int round;
    private boolean over;
    private final ReplicaChoice draw;
    private final List<TableName> tables;
    private final @Nullable ConsistentCut fixed;
    private final Set<ServerId> servers = new LinkedHashSet<>();
    private int requests;
    private int retries;
    private String last = "nobody was asked";

    /**
     * One query's values by actor, all of this version; those of all queries are of one moment.
     *
     * @param cut the moment, for reads of other rounds that are to see it too
     * @param stats of all queries together
     */
    public record Result(
            TableName table, long version, Map<Integer, Bytes> values, ConsistentCut cut, QueryResult.Stats stats) {
        /** A part for each actor. */
        public QueryResult asQueryResult() {
            return new QueryResult(
                    List.copyOf(values.values()),
                    values.keySet().stream().map(List::of).toList(),
                    stats);
        }
    }

    /** An actor asked for. */
    private static final class Slot {
        private final int query;
        private final int actor;
        private final long epoch;
        private final List<ServerId> tried = new ArrayList<>();
        /** How many calls ask for it now; more than one where a server takes long. */
        private int asking;

        private @Nullable ServerId next;
        private @Nullable Bytes value;
        private @Nullable UniserveException trouble;

        private Slot(int query, int actor, long epoch) {
            this.query = query;
            this.actor = actor;
            this.epoch = epoch;
        }
    }

    private record Share(int query, ServerId server) {}

    private static final class Call {
        private final Share share;
        private final List<Slot> group;
        private final int round;
        private boolean over;

        private Call(Share share, List<Slot> group, int round) {
            this.share = share;
            this.group = group;
            this.round = round;
        }
    }

    /** @param queries of tables whose updates are atomic, with one deadline; their modes are not looked at */
    public StrictRead(
            ClientContext env,
            SnapshotReadClient network,
            ConsistentCutClient cuts,
            VersionWatermarks floors,
            List<Query> queries,
            Completion<List<Result>> completion) {
        this(env, network, cuts, floors, queries, null, completion);
    }

    /**
     * A read of the moment of an earlier one.
     *
     * @param fixed that moment, of these queries' tables and maybe of others: VERSION_GONE where their states of it are not there
     *     any more, at no replica, by a map that is newer than the question; null for a moment after the start
     */
    public StrictRead(
            ClientContext env,
            SnapshotReadClient network,
            ConsistentCutClient cuts,
            VersionWatermarks floors,
            List<Query> queries,
            @Nullable ConsistentCut fixed,
            Completion<List<Result>> completion) {
        this.fixed = fixed;
        this.tables = queries.stream().map(Query::table).distinct().toList();
        this.env = env;
        this.network = network;
        this.cuts = cuts;
        this.floors = floors;
        this.queries = List.copyOf(queries);
        this.completion = completion;
        this.draw = new ReplicaChoice(env);
    }

    /**
     * Of operators that leave something where they run, so that they are not to be run for two moments: where one has, and another
     * moment is needed, the read ends with VERSION_GONE. Call before the start.
     */
    public StrictRead ofOneMoment() {
        once = true;
        return this;
    }

    /** Asks a server for the moment. */
    public void start() {
        deadline = env.timers()
                .after(
                        Math.max(1, left()),
                        () -> fail(ErrorCode.DEADLINE_EXCEEDED, "no answer in time; the last failure: " + last));
        for (TableName table : tables) {
            Optional<UniserveException> restored =
                    env.routing().current().table(table).flatMap(floors::restored);
            if (restored.isPresent()) {
                end(Outcome.err(restored.get()));
                return;
            }
        }
        begin();
    }

    /** Gives up; the completion hears CANCELLED. */
    public void cancel() {
        fail(ErrorCode.CANCELLED, "the query was cancelled");
    }

    private long left() {
        return queries.get(0).deadlineNanos() - env.clock().nanos();
    }

    private void fail(ErrorCode code, String message) {
        end(Outcome.err(new UniserveException(code, message)));
    }

    private void end(Outcome<List<Result>> outcome) {
        if (!over) {
            over = true;
            deadline.cancel();
            drop();
            completion.done(outcome);
        }
    }

    private void drop() {
        round++;
        List<Timers.Cancel> all = List.copyOf(calls);
        calls.clear();
        all.forEach(Timers.Cancel::cancel);
        slots.clear();
        consistentCut = null;
    }

    private void begin() {
        if (over) {
            return;
        }
        if (fixed != null) {
            take(fixed);
            return;
        }
        RouteIndex index = env.routing().current();
        List<ServerId> open = index.routing().servers().stream()
                .map(record -> record.id())
                .filter(id -> !tried.contains(id) && index.address(id).isPresent())
                .toList();
        if (open.isEmpty()) {
            tried.clear();
            later();
            return;
        }
        ServerId server = draw.draw(open, Map.of());
        Address address = index.address(server).orElseThrow();
        int asked = round;
        cuts.cut(address, tables, Math.max(1, Math.min(CUT_NANOS, left())), outcome -> {
            if (over || asked != round) {
                return;
            }
            if (outcome instanceof Outcome.Ok<ConsistentCut> ok) {
                take(ok.value());
            } else {
                UniserveException error = outcome.error();
                last = server + ": " + error.code() + ": " + error.reason();
                tried.add(server);
                if (error.code() == ErrorCode.TABLE_NOT_FOUND || error.code() == ErrorCode.UNSUPPORTED) {
                    end(Outcome.err(error));
                } else if (cuts.oneForAll()) {
                    tried.clear();
                    later();
                } else {
                    begin();
                }
            }
        });
    }

    /** With a newer routing, after a pause, another moment. */
    private void later() {
        if (fixed != null) {
            if (looked && !paused) {
                fail(ErrorCode.VERSION_GONE, "the state that the query reads is not there any more: " + last);
            } else {
                looked = true; // the map here may be older than the moment
                again();
            }
            return;
        }
        if (once && answered) {
            fail(ErrorCode.VERSION_GONE, "the moment that the scatters are of is gone: " + last);
            return;
        }
        drop();
        int asked = round;
        env.routing()
                .refresh(refreshed -> env.timers().after(PAUSE_NANOS, () -> {
                    if (asked == round) {
                        begin();
                    }
                }));
    }

    /** After a pause all replicas are asked again for what has not come, of the same moment. */
    private void again() {
        if (paused) {
            return;
        }
        paused = true;
        int asked = round;
        env.routing()
                .refresh(refreshed -> env.timers().after(PAUSE_NANOS, () -> {
                    paused = false;
                    if (asked == round && !over) {
                        moved = false;
                        gone = false;
                        slots.stream().filter(slot -> slot.asking == 0).forEach(slot -> slot.tried.clear());
                        next();
                    }
                }));
    }

    private ConsistentCut.Table table(ConsistentCut of, int query) {
        return table(of, queries.get(query).table());
    }

    private static ConsistentCut.Table table(ConsistentCut of, TableName name) {
        return of.tables().stream()
                .filter(table -> table.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("a moment without table " + name));
    }

    private void take(ConsistentCut taken) {
        consistentCut = taken;
        moved = false;
        for (int i = 0; i < queries.size(); i++) {
            ConsistentCut.Table table = table(taken, i);
            int count = table.epochs().size();
            List<Integer> actors = new ArrayList<>(queries.get(i).actors().orElse(List.of()));
            for (int actor = 0; actor < count && queries.get(i).actors().isEmpty(); actor++) {
                actors.add(actor);
            }
            for (int actor : actors) {
                if (actor < 0 || actor >= count) {
                    fail(ErrorCode.INVALID_ARGUMENT, "actor " + actor + " of " + count);
                    return;
                }
                slots.add(new Slot(i, actor, table.epochs().get(actor)));
            }
        }
        if (slots.isEmpty()) {
            succeed();
        } else {
            dispatch();
        }
    }

    /** Asks for whatever has no answer and is not being asked, on a replica in sync in the epoch of the moment. */
    private void dispatch() {
        RouteIndex index = env.routing().current();
        Map<Share, List<Slot>> shares = new LinkedHashMap<>();
        for (Slot slot : slots) {
            if (slot.value == null && slot.asking == 0) {
                slot.next = pick(index, slot);
                if (slot.next == null) {
                    if (slot.trouble != null) {
                        end(Outcome.err(slot.trouble)); // all replicas have it
                    } else if (fixed != null ? !moved && !gone : once && answered && !moved) {
                        again();
                    } else {
                        later();
                    }
                    return;
                }
            }
        }
        for (Slot slot : slots) {
            ServerId server = slot.next;
            if (server != null && slot.asking == 0 && slot.value == null) {
                shares.computeIfAbsent(new Share(slot.query, server), s -> new ArrayList<>())
                        .add(slot);
            }
        }
        shares.forEach((share, group) -> send(index, share, group));
    }

    /** A live in-sync replica not tried in this round, at random in proportion to the actor's weights; null where all were. */
    private @Nullable ServerId pick(RouteIndex index, Slot slot) {
        Optional<TableRoute> route = index.table(queries.get(slot.query).table());
        if (route.isEmpty()
                || slot.actor >= route.get().map().actors().size()
                || route.get().map().actors().get(slot.actor).epoch() != slot.epoch) {
            last = "the map is another one than at the moment of the read";
            moved = true;
            slot.trouble = null;
            return null;
        }
        ActorState actor = route.get().map().actors().get(slot.actor);
        List<ServerId> open = actor.isr().stream()
                .filter(server ->
                        !slot.tried.contains(server) && index.address(server).isPresent())
                .toList();
        Address near = queries.get(slot.query).near().get(slot.actor);
        for (ServerId server : open) {
            if (near != null && index.address(server).filter(near::equals).isPresent()) {
                return server;
            }
        }
        return open.isEmpty() ? null : draw.draw(open, actor, queries.get(slot.query));
    }

    private void send(RouteIndex index, Share share, List<Slot> group) {
        ConsistentCut now = consistentCut;
        if (now == null) {
            return;
        }
        Query query = queries.get(share.query());
        ConsistentCut.Table table = table(now, share.query());
        servers.add(share.server());
        requests++;
        retries += group.stream().anyMatch(slot -> !slot.tried.isEmpty()) ? 1 : 0;
        group.forEach(slot -> {
            slot.asking++;
            slot.tried.add(share.server());
        });
        VersionedRead request = new VersionedRead(
                query.table(),
                table.tableId(),
                group.stream()
                        .map(slot -> new VersionedRead.Target(slot.actor, slot.epoch))
                        .toList(),
                query.operator(),
                query.parameters(),
                table.version(),
                false,
                true,
                Math.max(1, left()));
        Call call = new Call(share, group, round);
        calls.add(
                network.read(index.address(share.server()).orElseThrow(), request, outcome -> answered(call, outcome)));
        watch(call);
    }

    private void answered(Call call, Outcome<VersionedRead.Reply> outcome) {
        if (isOpen(call)) {
            call.over = true;
            heard(call.share, call.group, outcome);
        }
    }

    private boolean isOpen(Call call) {
        return !call.over && call.round == round && !over;
    }

    /** Looks at a call that has no answer after a quarter of the time that is left. */
    private void watch(Call call) {
        if (isOpen(call)) {
            calls.add(env.timers().after(Math.max(SLOW_NANOS, left() / 4), () -> slow(call)));
        }
    }

    /**
     * A server that computes is not told from one that is silent, so its call goes on, and other replicas are asked beside it; the
     * first answer counts. Operators that leave something where they run are not run twice. A server that the map has lost is given
     * up.
     */
    private void slow(Call call) {
        if (!isOpen(call)) {
            return;
        }
        RouteIndex index = env.routing().current();
        if (index.address(call.share.server()).isEmpty()) {
            String lost = "server " + call.share.server() + " left the cluster before it answered";
            answered(call, Outcome.err(new UniserveException(ErrorCode.UNAVAILABLE, lost)));
            return;
        }
        watch(call);
        Map<Share, List<Slot>> beside = new LinkedHashMap<>();
        for (Slot slot : call.group) {
            ServerId other = once || slot.value != null || slot.asking != 1 ? null : pick(index, slot);
            if (other != null) {
                beside.computeIfAbsent(new Share(slot.query, other), s -> new ArrayList<>())
                        .add(slot);
            }
        }
        beside.forEach((share, group) -> send(index, share, group));
    }

    private void heard(Share share, List<Slot> group, Outcome<VersionedRead.Reply> outcome) {
        group.forEach(slot -> slot.asking--);
        boolean anew = false;
        if (outcome instanceof Outcome.Ok<VersionedRead.Reply> ok) {
            answered |= !ok.value().parts().isEmpty();
            for (VersionedRead.Part part : ok.value().parts()) {
                group.stream()
                        .filter(slot -> part.actors().equals(List.of(slot.actor)))
                        .forEach(slot -> slot.value = part.value());
            }
            for (ActorFailure failure : ok.value().failures()) {
                last = "actor " + failure.actor() + " on " + share.server() + ": " + failure.code() + " "
                        + failure.message();
                boolean alone = group.stream().noneMatch(slot -> slot.actor == failure.actor() && slot.asking > 0);
                anew |= alone && (failure.code() == ErrorCode.VERSION_GONE || failure.code() == ErrorCode.STALE_EPOCH);
                gone |= failure.code() == ErrorCode.VERSION_GONE;
                UniserveException error = new UniserveException(failure.code(), failure.message());
                group.stream().filter(slot -> slot.actor == failure.actor()).forEach(slot -> judge(slot, error));
            }
        } else {
            UniserveException error = outcome.error();
            last = share.server() + ": " + error.code() + ": " + error.reason();
            group.forEach(slot -> judge(slot, error));
        }
        if (over) {
            return;
        }
        if (anew && fixed == null) {
            later();
        } else {
            next(); // where the moment is given another replica may have its state yet
        }
    }

    private void next() {
        if (slots.stream().allMatch(slot -> slot.value != null)) {
            succeed();
        } else {
            dispatch();
        }
    }

    /** An error that is the same everywhere ends the query; one that may be a replica's own, when all have it. */
    private void judge(Slot slot, UniserveException error) {
        ReadErrorAction readErrorAction = ReadErrorAction.of(error.code());
        if (readErrorAction == ReadErrorAction.FATAL && error.code() != ErrorCode.VERSION_GONE) {
            end(Outcome.err(error));
        }
        slot.trouble = readErrorAction == ReadErrorAction.ONCE_EACH ? error : null;
    }

    /**
     * A table may have been restored since the start: who was told of its earlier number hears that instead. False where the read
     * has ended so, or looks for another moment.
     */
    private boolean told(ConsistentCut now) {
        for (int i = 0; i < tables.size(); i++) {
            Optional<TableRoute> route = route(i, table(now, tables.get(i)).tableId());
            if (route.isEmpty()) {
                last = "the table has another number than at the moment of the read";
                later();
                return false;
            }
            Optional<UniserveException> restored = floors.restored(route.get());
            if (restored.isPresent()) {
                end(Outcome.err(restored.get()));
                return false;
            }
        }
        return true;
    }

    private Optional<TableRoute> route(int table, long number) {
        return env.routing()
                .current()
                .table(tables.get(table))
                .filter(route -> route.meta().tableId() == number);
    }

    private void succeed() {
        ConsistentCut now = consistentCut;
        if (now == null || !told(now)) {
            return;
        }
        List<Result> results = new ArrayList<>();
        QueryResult.Stats stats = new QueryResult.Stats(requests, retries, 0, servers);
        for (int i = 0; i < queries.size(); i++) {
            ConsistentCut.Table table = table(now, i);
            TreeMap<Integer, Bytes> values = new TreeMap<>();
            for (Slot slot : slots) {
                if (slot.query == i && slot.value != null) {
                    values.put(slot.actor, slot.value);
                }
            }
            floors.raise(table.tableId(), table.version(), env.clock().nanos());
            results.add(new Result(table.name(), table.version(), values, now, stats));
        }
        end(Outcome.ok(results));
    }
}
