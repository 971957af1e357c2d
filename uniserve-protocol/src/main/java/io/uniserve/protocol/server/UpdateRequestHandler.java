package io.uniserve.protocol.server;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import io.uniserve.model.ActorState;
import io.uniserve.model.Partitioner;
import io.uniserve.model.ReplicaKey;
import io.uniserve.model.registry.TableMap;
import io.uniserve.protocol.RegistryPaths;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Environment;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.Registry.Versioned;
import io.uniserve.protocol.env.Timers;
import io.uniserve.protocol.message.client.ActorFailure;
import io.uniserve.protocol.message.client.UpdateReply;
import io.uniserve.protocol.message.client.UpdateReply.ActorAck;
import io.uniserve.protocol.message.client.UpdateRequest;
import io.uniserve.protocol.message.client.UpdateRequest.ActorRows;
import io.uniserve.protocol.replica.Replica;
import io.uniserve.protocol.replica.primary.PendingUpdates;
import io.uniserve.protocol.transaction.server.TransactionService;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Handler of clients' updates. It passes each actor's rows to its replica, and collects the results until the deadline. */
final class UpdateRequestHandler {
    private final Environment env;
    private final TableViewCache views;
    private final Function<ReplicaKey, @Nullable Replica> replicas;
    private final TransactionService atomic;

    UpdateRequestHandler(
            Environment env,
            TableViewCache views,
            Function<ReplicaKey, @Nullable Replica> replicas,
            TransactionService atomic) {
        this.atomic = atomic;
        this.env = env;
        this.views = views;
        this.replicas = replicas;
    }

    void update(UpdateRequest request, Completion<UpdateReply> completion) {
        UniserveException wrong = check(request);
        if (wrong != null) {
            env.timers().post(() -> completion.done(Outcome.err(wrong)));
            return;
        }
        TableViewCache.View view = views.find(request.table());
        if (view == null || view.meta().tableId() < request.tableId()) {
            onUnknownTable(request, completion);
            return;
        }
        if (view.meta().tableId() != request.tableId()) {
            env.timers().post(() -> completion.done(Outcome.err(notFound(request))));
            return;
        }
        if (TransactionService.isAtomic(view.meta().level())) {
            submitAtomic(request, view, completion);
            return;
        }
        if (request.stageOnly() || request.actors().stream().anyMatch(rows -> rows.staged() != null)) {
            UniserveException eventual = UniserveException.invalid("only atomic updates have staged rows, and table "
                    + request.table() + " has none: send them directly");
            env.timers().post(() -> completion.done(Outcome.err(eventual)));
            return;
        }
        PendingReply gathering = new PendingReply(request, completion);
        for (ActorRows rows : request.actors()) {
            Replica replica = replicas.apply(new ReplicaKey(request.tableId(), rows.actor()));
            if (replica != null) {
                replica.update(request, rows, gathering.callbackOf(rows.actor()));
                continue;
            }
            gathering.callbackOf(rows.actor()).onFailure(absentActor(request, rows, view));
        }
        gathering.onAllSent();
    }

    /** The failure of rows for an actor without a replica here. A chunk without actors in this map may be newer than the map. */
    private ActorFailure absentActor(UpdateRequest request, ActorRows rows, TableViewCache.View view) {
        ActorState state = view.map().find(rows.actor());
        if (state != null) {
            if (rows.epoch() > state.epoch()) {
                views.refresh(request.table());
            }
            return new ActorFailure(
                    rows.actor(), ErrorCode.NOT_PRIMARY, "this server does not have the actor", state.epoch());
        }
        if (!(view.meta().partitioner() instanceof Partitioner.Time time)) {
            return new ActorFailure(
                    rows.actor(),
                    ErrorCode.INVALID_ARGUMENT,
                    "the table has " + view.map().describeNumbers(),
                    0);
        }
        if (rows.actor() >= 0 && view.map().isExpired(time, rows.actor())) {
            UniserveException expired = time.expired(time.ordinalOf(rows.actor()));
            return new ActorFailure(rows.actor(), expired.code(), expired.reason(), 0);
        }
        views.refresh(request.table());
        return new ActorFailure(
                rows.actor(), ErrorCode.NOT_PRIMARY, "this server's map does not have the chunk yet", 0);
    }

    /**
     * Handles an atomic update, which has one result for all actors. Any server may be its transaction manager. The manager decides about
     * chunks that are newer than the map here or expired, because an earlier attempt may have been committed.
     */
    private void submitAtomic(UpdateRequest request, TableViewCache.View view, Completion<UpdateReply> completion) {
        boolean exist = request.actors().stream().allMatch(rows -> view.map().has(rows.actor()));
        if (exist || view.meta().partitioner() instanceof Partitioner.Time) {
            atomic.submit(request, completion);
        } else {
            env.timers()
                    .post(() -> completion.done(Outcome.err(UniserveException.invalid(
                            "the table has " + view.map().describeNumbers()))));
        }
    }

    private static @Nullable UniserveException check(UpdateRequest request) {
        TreeSet<Integer> actors = new TreeSet<>();
        long here = 0;
        long bytes = 0;
        for (ActorRows rows : request.actors()) {
            if (!actors.add(rows.actor())) {
                return UniserveException.invalid("actor " + rows.actor() + " is named twice: send its rows together");
            }
            if (rows.staged() != null && (request.stageOnly() || rows.rows().size() > 0)) {
                return UniserveException.invalid("rows of actor " + rows.actor() + " are here and staged: send one");
            }
            if (request.stageOnly() && rows.rows().size() == 0) {
                return UniserveException.invalid("actor " + rows.actor() + " has no rows to stage: leave it out");
            }
            here += rows.rows().size();
            bytes += rows.bytes();
        }
        if (actors.isEmpty()) {
            return UniserveException.invalid("the update has no actors: send rows");
        }
        if (here > Limits.BATCH_BYTES_MAX) {
            return tooLarge(here, Limits.BATCH_BYTES_MAX);
        }
        if (bytes > Limits.ATOMIC_UPDATE_BYTES_MAX) {
            return tooLarge(bytes, Limits.ATOMIC_UPDATE_BYTES_MAX);
        }
        if (request.function().length() > 4 * Limits.NAME_LENGTH_MAX) {
            return new UniserveException(ErrorCode.UNKNOWN_UPDATE, "the update function's name is too long");
        }
        if (request.remainingNanos() <= 0 || request.remainingNanos() > Limits.DEADLINE_MS_MAX * 1_000_000) {
            return UniserveException.invalid("remainingNanos is " + request.remainingNanos()
                    + ": use more than 0 and at most " + Limits.DEADLINE_MS_MAX + " ms");
        }
        return null;
    }

    private static UniserveException tooLarge(long bytes, long max) {
        return new UniserveException(
                ErrorCode.TOO_LARGE, "the update has " + bytes + " bytes, limit " + max + ": send smaller batches");
    }

    private static UniserveException notFound(UpdateRequest request) {
        return new UniserveException(
                ErrorCode.TABLE_NOT_FOUND,
                "table " + request.table() + " number " + request.tableId() + " does not exist");
    }

    /** Handles an update of an unknown table: the registry shows whether it is new or dropped. */
    private void onUnknownTable(UpdateRequest request, Completion<UpdateReply> completion) {
        env.registry()
                .sync(synced -> env.registry().read(RegistryPaths.map(request.table()), read -> {
                    if (read instanceof Outcome.Err<Versioned> err) {
                        completion.done(Outcome.err(new UniserveException(
                                ErrorCode.UNAVAILABLE, err.error().reason(), err.error())));
                        return;
                    }
                    Versioned found = read.value();
                    if (found.value() instanceof TableMap map && map.tableId() == request.tableId()) {
                        views.refresh(request.table());
                        completion.done(Outcome.err(
                                new UniserveException(ErrorCode.UNAVAILABLE, "the table is new here: retry")));
                    } else {
                        completion.done(Outcome.err(notFound(request)));
                    }
                }));
    }

    /** Results of one request's actors. */
    private final class PendingReply {
        private final Completion<UpdateReply> completion;
        private final List<ActorAck> acks = new ArrayList<>();
        private final List<ActorFailure> failures = new ArrayList<>();
        private final TreeSet<Integer> open = new TreeSet<>();
        private final Timers.Cancel deadline;
        private boolean allSent;
        private boolean ended;

        private PendingReply(UpdateRequest request, Completion<UpdateReply> completion) {
            this.completion = completion;
            request.actors().forEach(rows -> open.add(rows.actor()));
            this.deadline = env.timers().after(request.remainingNanos(), this::onDeadline);
        }

        private PendingUpdates.Callback callbackOf(int actor) {
            return new PendingUpdates.Callback() {
                @Override
                public void onAck(ActorAck ack) {
                    if (open.remove(actor)) {
                        acks.add(ack);
                        replyIfComplete();
                    }
                }

                @Override
                public void onFailure(ActorFailure failure) {
                    if (open.remove(actor)) {
                        failures.add(failure);
                        replyIfComplete();
                    }
                }
            };
        }

        /** All actors have their rows. If all results are present already, the reply follows after this call. */
        private void onAllSent() {
            allSent = true;
            if (open.isEmpty()) {
                env.timers().post(this::replyIfComplete);
            }
        }

        private void onDeadline() {
            for (int actor : List.copyOf(open)) {
                open.remove(actor);
                failures.add(new ActorFailure(
                        actor,
                        ErrorCode.DEADLINE_EXCEEDED,
                        "not acknowledged in time: it may still be applied, so retry with the same id",
                        0));
            }
            replyIfComplete();
        }

        private void replyIfComplete() {
            if (allSent && !ended && open.isEmpty()) {
                ended = true;
                deadline.cancel();
                completion.done(Outcome.ok(new UpdateReply(acks, failures)));
            }
        }
    }
}
