package io.uniserve.runtime.transport;

import io.uniserve.model.RunningQuery;
import io.uniserve.runtime.proto.DataProto;
import java.util.List;

/** Mapping of running queries to messages. */
public final class QueriesMapping {
    private QueriesMapping() {}

    public static DataProto.QueriesReply toProto(QueriesHandler.Running running) {
        DataProto.QueriesReply.Builder reply =
                DataProto.QueriesReply.newBuilder().setStuck(running.stuck());
        running.queries()
                .forEach(query -> reply.addQueries(DataProto.RunningQuery.newBuilder()
                        .setId(query.id())
                        .setTable(query.table())
                        .setClient(query.client())
                        .setOperator(query.operator())
                        .setRunningNanos(query.runningNanos())
                        .setState(query.state().name())));
        return reply.build();
    }

    public static QueriesHandler.Running fromProto(DataProto.QueriesReply reply) {
        List<RunningQuery> queries = reply.getQueriesList().stream()
                .map(query -> new RunningQuery(
                        query.getId(),
                        query.getTable(),
                        query.getClient(),
                        query.getOperator(),
                        query.getRunningNanos(),
                        state(query.getState())))
                .toList();
        return new QueriesHandler.Running(queries, reply.getStuck());
    }

    /** Decodes a state; one that this version does not know counts as running. */
    private static RunningQuery.State state(String name) {
        for (RunningQuery.State state : RunningQuery.State.values()) {
            if (state.name().equals(name)) {
                return state;
            }
        }
        return RunningQuery.State.RUNNING;
    }
}
