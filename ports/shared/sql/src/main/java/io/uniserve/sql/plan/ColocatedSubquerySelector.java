package io.uniserve.sql.plan;

import io.uniserve.api.plan.PlanContext;
import io.uniserve.limit.Limits;
import io.uniserve.model.Partitioner;
import io.uniserve.model.TableName;
import io.uniserve.model.registry.TableMeta;
import io.uniserve.sql.plan.SqlQuery.Step;
import io.uniserve.sql.plan.write.QueryScope;
import io.uniserve.sql.plan.write.QueryScope.ScopedExpression;
import io.uniserve.sql.plan.write.SubQuery;
import io.uniserve.sql.plan.write.SubQuery.Kind;
import io.uniserve.sql.rows.BroadcastSize;
import io.uniserve.sql.rows.SqlErrorFactory;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.calcite.sql.SqlNode;

/**
 * Choice of co-located sub-queries: each actor of the stationary table answers them for its own rows. Condition: the sub-query reads one
 * table, and requires equal keys of both tables. So the rows that it needs for a row are at the actor with the same number.
 */
public final class ColocatedSubquerySelector {
    private final SqlQuery query;
    private final QueryPlan plan;
    private final Cluster cluster;

    /** Tables of the cluster, and the cache of counts. */
    public record Cluster(Map<String, TableMeta> metas, CardinalityCache counts, PlanContext context) {
        TableMeta meta(QueryBlock.Item table) {
            return Objects.requireNonNull(metas.get(table.table()));
        }
    }

    /** Chooses for a query at a cluster whose engine supports it. */
    public ColocatedSubquerySelector(SqlQuery query, QueryPlan plan, Cluster cluster) {
        this.query = query;
        this.plan = plan;
        this.cluster = cluster;
    }

    /** Returns the sub-queries that qualify, each with the tables of FROM at whose actors it can be checked. */
    public Map<SubQuery, Set<Integer>> placesOf(QueryBlock queryBlock) {
        Map<SubQuery, Set<Integer>> all = new LinkedHashMap<>();
        if (ShuffleQuery.hint(query.text()) != ShuffleQuery.Hint.NONE) {
            return all;
        }
        for (SubQuery sub : queryBlock.subQueriesInWhereOnly()) {
            Set<Integer> places = placesOf(queryBlock, sub);
            if (!places.isEmpty()) {
                all.put(sub, places);
            }
        }
        return all;
    }

    private Set<Integer> placesOf(QueryBlock queryBlock, SubQuery sub) {
        QueryBlock inner = plan.block(sub.block());
        boolean limited = inner.output().order() != null
                && (inner.output().order().getFetch() != null
                        || inner.output().order().getOffset() != null);
        boolean one =
                inner.source().tables().size() == 1 && inner.source().items().size() == 1;
        // With DISTINCT each actor would count duplicates of other actors again, and a scalar value must be unique.
        boolean distinct = sub.kind() == Kind.SCALAR && inner.output().distinct();
        if (!one || limited || distinct || inner.subQueries().stream().anyMatch(SubQuery::isCorrelated)) {
            return Set.of();
        }
        Set<Integer> places = new TreeSet<>();
        TableMeta read = cluster.meta(inner.source().tables().get(0));
        for (int item = 0; item < queryBlock.source().tables().size(); item++) {
            TableMeta stays = cluster.meta(queryBlock.source().tables().get(item));
            if (queryBlock.source().from().keepsRows(item)
                    && stays.partitioner().equals(read.partitioner())
                    && !(read.partitioner() instanceof Partitioner.Time)
                    && JoinKeyPartitioningSelector.isComparable(stays, read, read.keyField())
                    && equalKeys(queryBlock, item, sub, inner)) {
                places.add(item);
            }
        }
        return places;
    }

    /** True if rows of the sub-query count only if their key equals that of the table at this place. */
    private boolean equalKeys(QueryBlock queryBlock, int item, SubQuery sub, QueryBlock inner) {
        return comparedColumns(sub)
                .anyMatch(pair -> isKey(inner, pair.column())
                        && sub.outerScope()
                                .column(pair.outerExpression())
                                .filter(found -> equalsKey(queryBlock, item, found))
                                .isPresent());
    }

    private static Stream<SubQuery.Equality> comparedColumns(SubQuery sub) {
        SqlNode left = sub.left();
        return left == null
                ? sub.equalities().stream()
                : Stream.concat(sub.equalities().stream(), Stream.of(new SubQuery.Equality(0, left)));
    }

    /** True if a column of a sub-query's answer is its table's key. An actor has whole groups only if each has one key. */
    private boolean isKey(QueryBlock inner, int column) {
        String key = cluster.meta(inner.source().tables().get(0)).keyField();
        return isKey(inner.output().selectItems().get(column), key)
                && (!inner.output().grouped()
                        || inner.output().groups().stream()
                                .anyMatch(group -> isKey(
                                        new ScopedExpression(
                                                group, inner.source().scope()),
                                        key)));
    }

    private static boolean isKey(ScopedExpression scopedExpression, String key) {
        return scopedExpression
                .names()
                .column(scopedExpression.node())
                .filter(found -> found.item() == 0 && found.column().equals(key))
                .isPresent();
    }

    /** True if a column of the outer query is the key of the table at this place, or equals it in every row of the join. */
    private boolean equalsKey(QueryBlock queryBlock, int item, QueryScope.ColumnRef found) {
        QueryBlock.Item stays = queryBlock.source().tables().get(item);
        String key = cluster.meta(stays).keyField();
        if (found.item() >= QueryBlock.ANSWERS_FROM) {
            return false;
        }
        return queryBlock.source().item(found.item()).isComparable(found.column(), stays, key)
                && (isKey(found, item, key)
                        || plan.equalities(new QueryStage(queryBlock.number(), false), -1).stream()
                                .anyMatch(one -> (one.left().equals(found) && isKey(one.right(), item, key))
                                        || (one.right().equals(found) && isKey(one.left(), item, key))));
    }

    private static boolean isKey(QueryScope.ColumnRef found, int item, String key) {
        return found.item() == item && found.column().equals(key);
    }

    /** Returns the sub-queries that can be checked if this table stays, by stage, with the tables that they read. */
    public Map<Integer, TableName> chosenAt(QueryBlock queryBlock, int stays, Map<SubQuery, Set<Integer>> places) {
        TableMeta staying = cluster.meta(queryBlock.source().tables().get(stays));
        Map<Integer, TableName> all = new TreeMap<>();
        List<TableMeta> others = new ArrayList<>();
        places.forEach((sub, items) -> {
            TableMeta read =
                    cluster.meta(plan.block(sub.block()).source().tables().get(0));
            if (items.contains(stays) && (isSame(staying, read) || isColocated(staying, read, others))) {
                all.put(sub.block(), read.name());
            }
        });
        return all;
    }

    private boolean isColocated(TableMeta stays, TableMeta read, List<TableMeta> others) {
        if (others.contains(read)) {
            return true;
        }
        others.add(read);
        boolean beside = others.size() <= Limits.BESIDE_TABLES_MAX
                && !cluster.counts.isNotColocated(stays, read, cluster.context.nanoTime())
                && cluster.context.areColocated(stays, others);
        if (!beside) {
            others.remove(read);
        }
        return beside;
    }

    private static boolean isSame(TableMeta one, TableMeta other) {
        return one.name().equals(other.name());
    }

    /** Returns a table's own name. */
    public TableName name(QueryBlock.Item table) {
        return cluster.meta(table).name();
    }

    /** True if a sub-query reads another table than the stationary one. */
    public boolean readsColocated(QueryBlock queryBlock, int stays, int sub) {
        return !isSame(
                cluster.meta(queryBlock.source().tables().get(stays)),
                cluster.meta(plan.block(sub).source().tables().get(0)));
    }

    /**
     * True if the sub-query should be checked in place without trying to answer it first. Its answer is about as large as its table or the
     * stationary one, and no more rows of other tables have to be sent instead.
     *
     * @param counts rows per table of FROM, without this condition
     * @param inside the rows that its own conditions leave
     */
    public boolean prefersColocation(QueryBlock queryBlock, int stays, SubQuery sub, List<Long> counts, long inside) {
        QueryBlock inner = plan.block(sub.block());
        Set<Integer> outside = new TreeSet<>();
        sub.outerExpressions()
                .forEach(node -> sub.outerScope().items(node).stream().forEach(outside::add));
        // HAVING may leave few of many groups. A condition on another table reduces that table before it is sent.
        if (inside < BroadcastSize.checkedRowsMin()
                || (!sub.isCorrelated() && inner.output().having() != null)
                || !outside.equals(Set.of(stays))) {
            return false;
        }
        SqlQuery staying = query.withStage(new QueryStage(queryBlock.number(), false), Map.of())
                .withStep(Step.PARTIAL, stays, stays, Map.of());
        Set<Integer> alike = JoinKeyPartitioningSelector.colocatedItems(
                staying, side -> Objects.requireNonNull(cluster.metas.get(side.table())));
        long sent = IntStream.range(0, counts.size())
                .filter(item -> item != stays && !alike.contains(item))
                .mapToLong(counts::get)
                .sum();
        return sent <= Math.min(counts.get(stays), inside);
    }

    /** Returns the place of a sub-query, as text for EXPLAIN. */
    public static String label(QueryPlan plan, int sub) {
        QueryBlock queryBlock = plan.block(sub);
        QueryBlock.Item table = queryBlock.source().tables().get(0);
        String name =
                table.alias().equalsIgnoreCase(table.table()) ? table.table() : table.table() + " AS " + table.alias();
        return name + ", of sub-query q" + sub + ", "
                + SqlErrorFactory.position(queryBlock.place()).strip().replaceFirst(":$", "");
    }
}
