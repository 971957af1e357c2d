package io.uniserve.api.plan;

import io.uniserve.api.operator.Combiner;
import io.uniserve.api.operator.PerActor;
import io.uniserve.api.operator.RetrieveCall;
import io.uniserve.error.UniserveException;
import io.uniserve.model.TableMeta;
import io.uniserve.model.TableName;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;

/** What a planner may do. One query's; not thread-safe. */
public interface PlanContext {
    /** The table's definition; TABLE_NOT_FOUND where there is none. */
    TableMeta table(TableName name);

    /**
     * From here on the plan's retrieves see one state of each actor, that of the first one: what a later round fetches is what
     * an earlier one counted. The actors must be {@link io.uniserve.api.SnapshotActor}s. Costs nothing where no update comes
     * between the rounds. Where one does the host runs the planner again from its start, with states held for it, so what it
     * does must bear that. To be called before the first retrieve.
     */
    void oneState();

    /** The actors that the query is asked of, in ascending order: all of the table's, or those that the caller chose. */
    default List<Integer> actors(TableName name) {
        return IntStream.range(0, table(name).partitioner().actors()).boxed().toList();
    }

    /** Runs a retrieve on all actors that the query is asked of, one request a server, and combines; blocks. */
    <P, V, R> R retrieve(TableName table, RetrieveCall<P, V> call, P parameters, Combiner<V, R> combiner);

    /** Runs a retrieve on some of these actors. */
    <P, V, R> R retrieve(
            TableName table, Set<Integer> actors, RetrieveCall<P, V> call, P parameters, Combiner<V, R> combiner);

    /** One of several retrieves: of which actors of a table, with which parameters. */
    record Asked<P>(TableName table, Set<Integer> actors, P parameters) {}

    /** Runs several retrieves of one operator, at the same time where the host can, and combines each; blocks. */
    default <P, V, R> List<R> retrieveAll(RetrieveCall<P, V> call, List<Asked<P>> all, Combiner<V, R> combiner) {
        return all.stream()
                .map(one -> one.actors().size() == actors(one.table()).size()
                        ? retrieve(one.table(), call, one.parameters(), combiner)
                        : retrieve(one.table(), one.actors(), call, one.parameters(), combiner))
                .toList();
    }

    /**
     * Runs a retrieve on actors with parameters of their own, one request a server; blocks.
     *
     * @param call of an operator without a merger
     * @param parameters by actor, of one or more of those that the query is asked of
     * @return the values, one of each of these actors
     */
    <P, V> Map<Integer, V> retrieveEach(TableName table, RetrieveCall<PerActor<P>, V> call, Map<Integer, P> parameters);

    /**
     * Runs a plan of scatters and a gather, and combines; blocks. Chunks travel from server to server, and those of a server
     * to itself do not travel. Where what a server scattered is lost before it was gathered, all stages are run again, a few
     * times at most: rows of two attempts are never mixed, and no chunk counts twice. Scatters of tables with atomic updates see
     * one moment, unless the query may see any state; other tables are read at moments of their own.
     *
     * @throws io.uniserve.error.UniserveException UNSUPPORTED where this host has no exchange; EXCHANGE_LOST where all attempts
     *     lost something
     */
    default <P, V, R> Shuffle.Result<R> shuffle(Shuffle<P, V> plan, Combiner<V, R> combiner) {
        throw UniserveException.unsupported("a plan with a scatter on this host");
    }

    /** True where {@link #shuffle} can be used here and now: not in a session, and not where rounds see one state. */
    default boolean shuffles() {
        return false;
    }

    /** The host's clock: what it tells two queries of this process may be compared. */
    long nanos();

    /** Nanoseconds until the query's deadline. */
    long remainingNanos();
}
