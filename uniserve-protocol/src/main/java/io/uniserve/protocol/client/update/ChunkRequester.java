package io.uniserve.protocol.client.update;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import io.uniserve.model.Address;
import io.uniserve.model.Partitioner;
import io.uniserve.model.TableName;
import io.uniserve.model.registry.Routing.TableRoute;
import io.uniserve.protocol.client.routing.ClientContext;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Done;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.Timers;
import io.uniserve.protocol.message.AdminReply;
import io.uniserve.protocol.message.AdminRequest;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;

/**
 * Request for the chunks of an update that have no actors yet. It asks the leading coordinator, repeats until a map has all chunks, and sends
 * no rows. Not thread-safe; the completion is called exactly once, at the earliest from inside {@link #start}.
 *
 * <p>Errors: CHUNK_EXPIRED and INVALID_ROW for chunks that must not be made, TABLE_NOT_FOUND, TOO_LARGE for a table with too many actors,
 * CANCELLED, and DEADLINE_EXCEEDED with the last failure.
 */
public final class ChunkRequester {
    private static final long ATTEMPT_NANOS_MAX = 5_000_000_000L;
    private static final long PAUSE_NANOS_MIN = 20_000_000;
    private static final long PAUSE_NANOS_MAX = 1_000_000_000;

    private final ClientContext env;
    private final CoordinatorCall coordinator;
    private final TableName table;
    private final long tableId;
    private final TreeSet<Integer> ordinals;
    private final long deadlineNanos;
    private final Completion<Done> completion;
    private Timers.Cancel deadline = () -> {};
    private Timers.Cancel wait = () -> {};
    private long pauseNanos = PAUSE_NANOS_MIN;
    private String lastFailure = "no coordinator leads";
    private int attempt;
    private boolean ended;

    /** Sends a request to the leading coordinator. The completion runs on the machine's own loop. */
    public interface CoordinatorCall {
        void call(Address leader, AdminRequest request, long timeoutNanos, Completion<AdminReply> completion);
    }

    /**
     * @param ordinals ordinals of the chunks that the update needs
     * @param deadlineNanos deadline by the machine's clock
     */
    public ChunkRequester(
            ClientContext env,
            CoordinatorCall coordinator,
            TableName table,
            long tableId,
            Collection<Integer> ordinals,
            long deadlineNanos,
            Completion<Done> completion) {
        this.env = env;
        this.coordinator = coordinator;
        this.table = table;
        this.tableId = tableId;
        this.ordinals = new TreeSet<>(ordinals);
        this.deadlineNanos = deadlineNanos;
        this.completion = completion;
    }

    /**
     * The chunks of these actors that the map lacks.
     *
     * @throws UniserveException CHUNK_EXPIRED if one of them is expired
     */
    public static TreeSet<Integer> absentChunks(TableRoute route, Partitioner.Time time, Collection<Integer> actors) {
        TreeSet<Integer> absent = new TreeSet<>();
        for (int actor : actors) {
            if (!route.map().has(actor)) {
                if (route.map().isExpired(time, actor)) {
                    throw time.expired(time.ordinalOf(actor));
                }
                absent.add(time.ordinalOf(actor));
            }
        }
        return absent;
    }

    /** Sends the first request, if the current map lacks one of the chunks. */
    public void start() {
        deadline = env.timers()
                .after(
                        Math.max(1, remaining()),
                        () -> fail(
                                ErrorCode.DEADLINE_EXCEEDED,
                                "new chunks of table " + table
                                        + " were not made before the deadline, and no row was sent; "
                                        + "the last failure: " + lastFailure));
        step();
    }

    /** Ends the request with CANCELLED. */
    public void cancel() {
        fail(ErrorCode.CANCELLED, "the update was cancelled before its chunks were made; no row was sent");
    }

    private void step() {
        if (ended) {
            return;
        }
        Optional<TableRoute> route = env.routing().current().table(table);
        if (route.isEmpty()) {
            request(ordinals); // a map may be older than the table; the coordinator knows whether it exists
            return;
        }
        if (route.get().meta().tableId() != tableId) {
            fail(ErrorCode.TABLE_NOT_FOUND, "table " + table + " was dropped while the update ran");
            return;
        }
        if (!(route.get().meta().partitioner() instanceof Partitioner.Time time)) {
            fail(ErrorCode.INVALID_ARGUMENT, "table " + table + " is not partitioned by time");
            return;
        }
        try {
            TreeSet<Integer> absent = absentChunks(
                    route.get(), time, ordinals.stream().map(time::firstActor).toList());
            if (absent.isEmpty()) {
                end(Outcome.ok(Done.DONE));
            } else {
                request(absent);
            }
        } catch (UniserveException expired) {
            end(Outcome.err(expired));
        }
    }

    private void request(TreeSet<Integer> absent) {
        Address leader = env.routing().current().routing().coordinator();
        if (leader == null) {
            pause();
            return;
        }
        int current = ++attempt;
        List<Integer> some =
                absent.stream().limit(Limits.CHUNKS_PER_REQUEST_MAX).toList();
        coordinator.call(
                leader,
                new AdminRequest.CreateChunks(table, tableId, some),
                Math.max(1, Math.min(remaining(), ATTEMPT_NANOS_MAX)),
                outcome -> {
                    if (!ended && current == attempt) {
                        onReply(outcome);
                    }
                });
    }

    private void onReply(Outcome<AdminReply> outcome) {
        if (outcome instanceof Outcome.Err<AdminReply> err) {
            UniserveException error = err.error();
            if (isFinal(error.code())) {
                end(Outcome.err(error));
                return;
            }
            lastFailure = error.code() + " " + error.reason();
        } else {
            lastFailure = "the map with the chunks has not arrived";
            pauseNanos = PAUSE_NANOS_MIN;
        }
        pause();
    }

    private static boolean isFinal(ErrorCode code) {
        return switch (code) {
            case CHUNK_EXPIRED,
                    INVALID_ROW,
                    INVALID_ARGUMENT,
                    TABLE_NOT_FOUND,
                    TOO_LARGE,
                    UNSUPPORTED,
                    UNAUTHORIZED,
                    WRONG_CLUSTER -> true;
            default -> false;
        };
    }

    /** Continues with the next map, or after a pause. */
    private void pause() {
        wait.cancel();
        Timers.Cancel change = env.routing().onChange(this::again);
        Timers.Cancel timer = env.timers().after(pauseNanos, this::again);
        wait = () -> {
            change.cancel();
            timer.cancel();
        };
        pauseNanos = Math.min(PAUSE_NANOS_MAX, 2 * pauseNanos);
        env.routing().refresh(refreshed -> {});
    }

    private void again() {
        wait.cancel();
        wait = () -> {};
        step();
    }

    private void fail(ErrorCode code, String message) {
        end(Outcome.err(new UniserveException(code, message)));
    }

    private void end(Outcome<Done> outcome) {
        if (!ended) {
            ended = true;
            deadline.cancel();
            wait.cancel();
            completion.done(outcome);
        }
    }

    private long remaining() {
        return deadlineNanos - env.clock().nanos();
    }
}
