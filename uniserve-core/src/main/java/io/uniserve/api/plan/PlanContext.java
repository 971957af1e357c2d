package io.uniserve.api.plan;

import io.uniserve.api.QueryCancellation;
import io.uniserve.api.operator.Combiner;
import io.uniserve.api.operator.PerActorParameters;
import io.uniserve.api.operator.RetrieveCall;
import io.uniserve.error.UniserveException;
import io.uniserve.model.TableMeta;
import io.uniserve.model.TableName;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.IntStream;

/** What a planner may do. One query's; not thread-safe. */
public interface PlanContext extends QueryCancellation {
    /** The table's definition; TABLE_NOT_FOUND where there is none. */
    TableMeta table(TableName name);

    /**
     * From here on the plan's retrieves see one state of each actor, that of the first one: what a later round fetches is what
     * an earlier one counted. The actors must be {@link io.uniserve.api.extra.SnapshotActor}s. Costs nothing where no update comes
     * between the rounds. Where one does the host runs the planner again from its start, with states held for it, so what it
     * does must bear that. Of a table with atomic updates later rounds may ask no actors that the first one did not, unless the
     * query is of mode STRICT. To be called before the first retrieve.
     */
    void oneState();

    /**
     * From here on the plan's retrieves, and its scatters, of those of these tables that have atomic updates see one moment, the
     * same for all rounds and tables: what was committed later is in none of them. Of one such table that is the version that
     * the first read sees; of several it is confirmed by the registry before the first, unless the query may see any state.
     * Tables of level EVENTUAL have no versions, and are read as before. Where a state of the moment is kept no more the host
     * runs the planner again from its start, with a newer moment, so what it does must bear that. To be called before the first
     * retrieve. A host without such tables need do nothing.
     */
    default void oneMoment(Set<TableName> tables) {}

    /**
     * From here on the plan's retrieves ask of each actor the copy that all such queries of the same client ask, while it is alive:
     * for answers that may depend on the copy, as scores by its own statistics. Another copy is asked where that one fails or is
     * silent. To be called before the first retrieve. A host that has one copy need do nothing.
     */
    default void sameCopies() {}

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
     * Whether an operator may find actors of all these tables beside those of another one, as far as the host knows: they are still
     * the tables of these definitions, have the same partitioner and eventual updates, and for each number a server is in sync with
     * all of its actors.
     */
    default boolean together(TableMeta table, Collection<TableMeta> others) {
        return false;
    }

    /**
     * Runs a retrieve on some actors, each on a server that has the actors of the same number of other tables too, where there is
     * one: the operator finds them by {@link io.uniserve.api.operator.OperatorContext#beside}, or finds that they are not there.
     *
     * @param elsewhere what it answers then. The first such answer ends the read: answers of other actors may be missing among those
     *     that are combined
     */
    default <P, V, R> R retrieveBeside(
            TableMeta table,
            Set<Integer> actors,
            Collection<TableMeta> others,
            V elsewhere,
            RetrieveCall<P, V> call,
            P parameters,
            Combiner<V, R> combiner) {
        return retrieve(table.name(), actors, call, parameters, combiner);
    }

    /**
     * Runs a retrieve on actors with parameters of their own, one request a server; blocks.
     *
     * @param call of an operator without a merger
     * @param parameters by actor, of one or more of those that the query is asked of
     * @return the values, one of each of these actors
     */
    <P, V> Map<Integer, V> retrieveEach(
            TableName table, RetrieveCall<PerActorParameters<P>, V> call, Map<Integer, P> parameters);

    /**
     * Runs a plan of scatters and a gather, and combines; blocks. Chunks travel from server to server, and those of a server
     * to itself do not travel. Where what a server scattered is lost before it was gathered, all stages are run again, a few
     * times at most: rows of two attempts are never mixed, and no chunk counts twice. Scatters of tables with atomic updates see
     * one moment, that of {@link #oneMoment} where it was called, unless the query may see any state, and so do the actors of
     * maps and gathers, unless the plan is {@linkplain Shuffle#ofChunksAlone of chunks alone}. Other tables are read at moments
     * of their own.
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

    /**
     * What the plan's retrieves took since this was asked last, for planners that explain their steps.
     *
     * @param bytes of the actors' values as they came
     * @param servers that were asked
     */
    record Taken(long bytes, Set<String> servers) {
        public static final Taken NOTHING = new Taken(0, Set.of());

        public Taken {
            servers = Collections.unmodifiableSet(new TreeSet<>(servers));
        }

        /** Both together. */
        public Taken plus(Taken other) {
            Set<String> all = new TreeSet<>(servers);
            all.addAll(other.servers);
            return new Taken(bytes + other.bytes, all);
        }
    }

    /** The server where the plan runs and its answer is made, for planners that explain their steps; empty where a host does not tell. */
    default Optional<String> here() {
        return Optional.empty();
    }

    /** See {@link Taken}. A host that does not count answers {@link Taken#NOTHING}. */
    default Taken taken() {
        return Taken.NOTHING;
    }

    /** The host's clock: what it tells two queries of this process may be compared. */
    long nanos();
}
