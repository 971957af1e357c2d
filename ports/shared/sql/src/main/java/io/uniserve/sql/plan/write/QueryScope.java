package io.uniserve.sql.plan.write;

import io.uniserve.api.extra.ColumnSchema;
import io.uniserve.api.extra.ColumnType;
import io.uniserve.sql.parse.SqlNodeUtils;
import io.uniserve.sql.rows.SqlErrorFactory;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.util.SqlBasicVisitor;
import org.jspecify.annotations.Nullable;

/** Name resolution within one SELECT of a validated query, and its sub-queries by their nodes. */
public final class QueryScope {
    private final @Nullable QueryScope outer;
    private final List<Entry> entries = new ArrayList<>();
    private final Map<SqlNode, SubQuery> subQueries = new IdentityHashMap<>();

    /** Expression with the scope that resolves its names. */
    public record ScopedExpression(SqlNode node, QueryScope names) {}

    /** Meaning of a name. */
    sealed interface Meaning {}

    /**
     * Column of a table or of a sub-query's answer.
     *
     * @param item the item of the block
     * @param index its place among the item's columns
     * @param exact true if equality is transitive for its values; false for DOUBLE, which rounds
     */
    public record ColumnRef(int item, String column, int index, boolean exact) implements Meaning {}

    /** Column of an inlined sub-query of FROM: an expression over the items that it reads. */
    record Inlined(ScopedExpression expression) implements Meaning {}

    /** Column of the outer query. */
    record OuterColumn(QueryScope scope) implements Meaning {}

    /** Limit of column names in an inlined expression. Nested inlining multiplies them, so the text could grow exponentially. */
    private static final int INLINED_NAMES_MAX = 4_096;

    /** Item of FROM. {@code sizes} has the number of column names per expression, after inlining. */
    private record Entry(
            String alias,
            List<String> columns,
            int item,
            List<ScopedExpression> inlined,
            List<Integer> sizes,
            BitSet exact) {}

    /** Creates the scope of a query that is nested in another one, or of the outermost. */
    public QueryScope(@Nullable QueryScope outer) {
        this.outer = outer;
    }

    /** Adds a table or an answer; column names are in lower case. */
    public void add(String alias, List<String> columns, int item) {
        entries.add(new Entry(SqlNodeUtils.lower(alias), columns, item, List.of(), List.of(), new BitSet()));
    }

    /** Adds a table. */
    public void add(String alias, ColumnSchema columns, int item) {
        BitSet exact = new BitSet();
        for (int i = 0; i < columns.columns().size(); i++) {
            exact.set(i, columns.columns().get(i).type().kind() != ColumnType.Kind.DOUBLE);
        }
        entries.add(new Entry(SqlNodeUtils.lower(alias), columns.names(), item, List.of(), List.of(), exact));
    }

    /** Adds an inlined sub-query. */
    public void addInlined(String alias, List<String> columns, List<ScopedExpression> terms) {
        List<Integer> sizes = new ArrayList<>();
        for (ScopedExpression scopedExpression : terms) {
            int size = scopedExpression.names().size(scopedExpression.node());
            if (size > INLINED_NAMES_MAX) {
                throw SqlErrorFactory.unsupported(
                        scopedExpression.node(),
                        "an expression of more than " + INLINED_NAMES_MAX + " columns through sub-queries is");
            }
            sizes.add(size);
        }
        entries.add(new Entry(SqlNodeUtils.lower(alias), columns, -1, terms, sizes, new BitSet()));
    }

    private int size(SqlNode expression) {
        int[] size = {0};
        expression.accept(new SqlBasicVisitor<@Nullable Void>() {
            @Override
            public @Nullable Void visit(SqlIdentifier name) {
                size[0] += entry(name)
                        .filter(entry -> entry.item < 0)
                        .map(entry -> entry.sizes.get(entry.columns.indexOf(unqualified(name))))
                        .orElse(1);
                return null;
            }
        });
        return size[0];
    }

    /** Records a sub-query by the node that has its value. */
    public void add(SqlNode place, SubQuery sub) {
        subQueries.put(place, sub);
    }

    /** Returns the sub-query whose value this node is. */
    Optional<SubQuery> subQuery(SqlNode node) {
        return Optional.ofNullable(subQueries.get(node));
    }

    /** Returns the columns that a star in SELECT expands to. */
    public List<SqlIdentifier> expandStar(SqlIdentifier star) {
        List<SqlIdentifier> all = new ArrayList<>();
        for (Entry entry : entries) {
            if (star.names.size() < 2 || entry.alias.equals(SqlNodeUtils.lower(star.names.get(0)))) {
                entry.columns.forEach(
                        name -> all.add(new SqlIdentifier(List.of(entry.alias, name), star.getParserPosition())));
            }
        }
        return all;
    }

    /** Resolves a name; empty if it is not a column, such as an alias of SELECT. */
    Optional<Meaning> resolve(SqlIdentifier name) {
        if (name.isStar() || name.names.size() > 2) {
            return Optional.empty();
        }
        Optional<Entry> own = entry(name);
        if (own.isPresent()) {
            Entry entry = own.get();
            int index = entry.columns.indexOf(unqualified(name));
            return Optional.of(
                    entry.item < 0
                            ? new Inlined(entry.inlined.get(index))
                            : new ColumnRef(entry.item, entry.columns.get(index), index, entry.exact.get(index)));
        }
        return outer != null && outer.resolve(name).isPresent()
                ? Optional.of(new OuterColumn(outer))
                : Optional.empty();
    }

    private Optional<Entry> entry(SqlIdentifier name) {
        return entries.stream()
                .filter(entry -> entry.columns.contains(unqualified(name))
                        && (name.isSimple() || entry.alias.equals(SqlNodeUtils.lower(name.names.get(0)))))
                .findFirst();
    }

    private static String unqualified(SqlIdentifier name) {
        return SqlNodeUtils.lower(SqlNodeUtils.last(name));
    }

    /** Returns the column if the expression is just a column. */
    public Optional<ColumnRef> column(SqlNode node) {
        if (!(node instanceof SqlIdentifier name)) {
            return Optional.empty();
        }
        Meaning meaning = resolve(name).orElse(null);
        if (meaning instanceof Inlined inlined) {
            return inlined.expression.names().column(inlined.expression.node());
        }
        return meaning instanceof ColumnRef found ? Optional.of(found) : Optional.empty();
    }

    /** Returns the items whose columns are in an expression. */
    public BitSet items(SqlNode expression) {
        BitSet items = new BitSet();
        walk(expression, found -> items.set(found.item()), name -> {}, sub -> {});
        return items;
    }

    /** True if a name is a column of the outer query. */
    public boolean isOutside(SqlIdentifier name) {
        return resolve(name).filter(OuterColumn.class::isInstance).isPresent();
    }

    /** Returns the names in an expression that belong to the outer query. */
    public List<SqlIdentifier> outerNames(SqlNode expression) {
        List<SqlIdentifier> all = new ArrayList<>();
        walk(expression, found -> {}, all::add, sub -> {});
        return all;
    }

    /** Returns the sub-queries in an expression, including those of inlined expressions. */
    public List<SubQuery> subQueries(SqlNode expression) {
        List<SubQuery> all = new ArrayList<>();
        walk(expression, found -> {}, name -> {}, all::add);
        return all;
    }

    private void walk(
            SqlNode expression, Consumer<ColumnRef> own, Consumer<SqlIdentifier> outside, Consumer<SubQuery> queries) {
        expression.accept(new SqlBasicVisitor<@Nullable Void>() {
            @Override
            public @Nullable Void visit(SqlIdentifier name) {
                Meaning meaning = resolve(name).orElse(null);
                if (meaning instanceof ColumnRef found) {
                    own.accept(found);
                } else if (meaning instanceof Inlined inlined) {
                    inlined.expression.names().walk(inlined.expression.node(), own, outside, queries);
                } else if (meaning instanceof OuterColumn) {
                    outside.accept(name);
                }
                return null;
            }

            @Override
            public @Nullable Void visit(SqlCall call) {
                SubQuery sub = subQueries.get(call);
                if (sub == null) {
                    return super.visit(call);
                }
                queries.accept(sub);
                sub.outerExpressions().forEach(node -> node.accept(this));
                return null;
            }
        });
    }
}
