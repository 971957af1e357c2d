package io.uniserve.testkit.tck;

import io.uniserve.api.Actor;
import io.uniserve.api.Document;
import io.uniserve.api.operator.Combiner;
import io.uniserve.api.operator.Operator;
import io.uniserve.api.operator.OperatorContext;
import io.uniserve.api.operator.PerActorParameters;
import io.uniserve.api.operator.RetrieveCall;
import io.uniserve.api.operator.RetrieveOperator;
import io.uniserve.api.plan.Answer;
import io.uniserve.api.plan.PlanContext;
import io.uniserve.api.plan.Planner;
import io.uniserve.api.plan.QueryText;
import io.uniserve.api.plan.WholeQueryOperator;
import io.uniserve.codec.Bytes;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.Partitioner;
import io.uniserve.model.TableName;
import io.uniserve.model.registry.TableMeta;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** Table of the port under test with all actors in this process. Parameters and values of planners pass through the codecs. */
final class TckTable implements PlanContext {
    /** Order and grouping of the values that a plan gets from actors. Servers merge the values of their own actors, in any order. */
    enum Arrival {
        EACH,
        BACKWARDS,
        MERGED
    }

    private final TckHarness bench;
    private final TableMeta meta;
    private final List<Actor> actors = new ArrayList<>();
    private Arrival arrival = Arrival.EACH;
    private boolean ended;
    /** Answers to whole queries lose it on their way from the actor. */
    private long answerRows = Answer.ROWS_UNKNOWN;

    /** Table with this many actors and these rows. */
    TckTable(TckHarness bench, int size, List<Document> rows) {
        this.bench = bench;
        TableMeta m = bench.fixture().meta();
        this.meta = new TableMeta(
                m.name(),
                m.tableId() + size,
                new Partitioner.Hash(size),
                m.keyField(),
                m.level(),
                m.rf(),
                m.minIsr(),
                m.onLoss(),
                m.port(),
                m.options());
        Map<Integer, List<Document>> byActor = rows.stream()
                .collect(Collectors.groupingBy(row -> meta.partitioner().actorOf(row.partitionKey())));
        for (int i = 0; i < size; i++) {
            actors.add(bench.create());
            bench.upsert(actors.get(i), byActor.getOrDefault(i, List.of()));
        }
    }

    /** The answer of the port's planner. */
    String answer(Planner planner, String query, Arrival how) {
        arrival = how;
        Answer answer = planner.answer(new QueryText(meta.name(), query), this);
        answerRows = answer.rows();
        return text(answer);
    }

    /** The answer of the operator for whole queries, on one actor. */
    String answerWhole(String operator, String query) {
        List<Answer> values = retrieve(meta.name(), Set.of(0), WholeQueryOperator.call(operator), query, List::copyOf);
        return text(values.get(0).withRows(answerRows));
    }

    /** Number of rows of the last answer as the port counted them; negative if it did not. */
    long answerRows() {
        return answerRows;
    }

    /** Sets the deadline of all further queries to the past. */
    TckTable expireDeadline() {
        ended = true;
        return this;
    }

    private static String text(Answer answer) {
        return answer.contentType() + "\n" + answer.rows() + " rows\n"
                + answer.body().utf8();
    }

    @Override
    public TableMeta table(TableName name) {
        if (!name.equals(meta.name())) {
            throw new UniserveException(ErrorCode.TABLE_NOT_FOUND, "table " + name + " does not exist");
        }
        return meta;
    }

    @Override
    public void useRepeatableReads() {
        // there are no updates between rounds
    }

    @Override
    public <P, V, R> R retrieve(TableName table, RetrieveCall<P, V> call, P parameters, Combiner<V, R> combiner) {
        return retrieve(table, Set.copyOf(actors(table)), call, parameters, combiner);
    }

    @Override
    public <P, V, R> R retrieve(
            TableName table, Set<Integer> asked, RetrieveCall<P, V> call, P parameters, Combiner<V, R> combiner) {
        table(table);
        Bytes sent = call.parameters().encode(parameters);
        List<Bytes> parts = valuesOf(operator(call.id()), asked, sent);
        return combiner.combine(
                parts.stream().map(part -> call.values().decode(part)).toList());
    }

    @Override
    public <P, V> Map<Integer, V> retrieveEach(
            TableName table, RetrieveCall<PerActorParameters<P>, V> call, Map<Integer, P> parameters) {
        table(table);
        Bytes sent = call.parameters().encode(PerActorParameters.of(parameters));
        Map<Integer, V> values = new TreeMap<>();
        parameters
                .keySet()
                .forEach(actor -> values.put(
                        actor,
                        call.values()
                                .decode(valuesOf(operator(call.id()), Set.of(actor), sent)
                                        .get(0))));
        return values;
    }

    private <P, V> List<Bytes> valuesOf(RetrieveOperator<Actor, P, V> operator, Collection<Integer> asked, Bytes sent) {
        P parameters = operator.parameters().decode(sent);
        List<V> values = new ArrayList<>();
        for (int actor : new TreeSet<>(asked)) {
            V value = operator.retrieve(actors.get(actor), new TckContext(actor), parameters);
            if (value instanceof Answer whole) {
                answerRows = whole.rows();
            }
            values.add(value);
        }
        if (arrival != Arrival.EACH) {
            Collections.reverse(values);
        }
        if (arrival == Arrival.MERGED && operator.merger().isPresent() && values.size() > 1) {
            values = List.of(operator.merger().get().mergeAll(parameters, values));
        }
        return values.stream().map(operator.values()::encode).toList();
    }

    @SuppressWarnings("unchecked") // an id names only one operator
    private <P, V> RetrieveOperator<Actor, P, V> operator(String id) {
        for (Operator<?, ?> operator : bench.instance().operators()) {
            if (operator.id().equals(id)) {
                return (RetrieveOperator<Actor, P, V>) operator;
            }
        }
        throw new AssertionError("the planner names operator " + id + ", the port has none");
    }

    @Override
    public long remainingNanos() {
        return ended ? -1 : Integer.MAX_VALUE;
    }

    @Override
    public long nanoTime() {
        return 0;
    }

    private final class TckContext implements OperatorContext {
        private final int actor;

        private TckContext(int actor) {
            this.actor = actor;
        }

        @Override
        public int actor() {
            return actor;
        }

        @Override
        public long remainingNanos() {
            return TckTable.this.remainingNanos();
        }

        @Override
        public void checkActive() {
            if (ended) {
                throw new UniserveException(ErrorCode.DEADLINE_EXCEEDED, "the query's deadline has passed");
            }
        }
    }
}
