package io.uniserve.simulator.workload;

import io.uniserve.model.AckLevel;
import io.uniserve.model.TableName;
import io.uniserve.model.registry.Routing.TableRoute;
import io.uniserve.port.kv.KvUpdateFunctions;
import io.uniserve.protocol.client.routing.ClientContext;
import io.uniserve.protocol.client.transaction.AtomicUpdateRequest;
import io.uniserve.protocol.client.transaction.ConsistentSnapshotClient;
import io.uniserve.protocol.client.transaction.VersionWatermarks;
import io.uniserve.protocol.client.update.RequestTracker;
import io.uniserve.protocol.client.update.Update;
import io.uniserve.protocol.client.update.UpdateExecution;
import io.uniserve.protocol.client.update.UpdateResult;
import io.uniserve.protocol.env.Outcome;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Client that deletes all lists of a table, between two parts of a long run, while no other client writes. */
public final class TableCleaner {
    private static final long DEADLINE_NANOS = 40_000_000_000L;

    private final ClientContext env;
    private final ConsistentSnapshotClient cuts;
    private final ActorKeys keys;
    private final Workload workload;
    private final RequestTracker tracker;
    private final VersionWatermarks floors = new VersionWatermarks();

    public TableCleaner(ClientContext env, ConsistentSnapshotClient cuts, ActorKeys keys, Workload workload) {
        this.env = env;
        this.cuts = cuts;
        this.keys = keys;
        this.workload = workload;
        this.tracker = new RequestTracker(env.ids());
    }

    /** Deletes all lists. The task runs when every actor has deleted its lists, and never if one fails. */
    public void deleteAllLists(TableName table, Runnable done) {
        Optional<TableRoute> route = env.routing().current().table(table);
        Optional<RequestTracker.Ticket> ticket = tracker.nextRequest();
        if (route.isEmpty() || ticket.isEmpty()) {
            ticket.ifPresent(RequestTracker.Ticket::finish);
            return;
        }
        List<Update.ActorBatch> batches = new ArrayList<>();
        for (int actor = 0; actor < keys.count(); actor++) {
            batches.add(new Update.ActorBatch(actor, ActorKeys.LISTS_PER_ACTOR, keys.delete(actor)));
        }
        Update update = new Update(
                table,
                route.get().meta().tableId(),
                KvUpdateFunctions.DELETE.id(),
                AckLevel.ISR,
                batches,
                env.clock().nanos() + DEADLINE_NANOS);
        if (workload.isAtomic()) {
            new AtomicUpdateRequest(env, cuts, floors, update, ticket.get(), outcome -> {
                        ticket.get().finish();
                        if (outcome instanceof Outcome.Ok<Long>) {
                            done.run();
                        }
                    })
                    .start();
        } else {
            new UpdateExecution(env, update, ticket.get(), outcome -> {
                        ticket.get().finish();
                        if (outcome instanceof Outcome.Ok<UpdateResult> ok
                                && ok.value().failed().isEmpty()) {
                            done.run();
                        }
                    })
                    .start();
        }
    }
}
