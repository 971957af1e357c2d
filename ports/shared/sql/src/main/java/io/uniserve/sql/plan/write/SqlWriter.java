package io.uniserve.sql.plan.write;

import io.uniserve.api.extra.ColumnType;
import io.uniserve.codec.CodePoints;
import io.uniserve.error.ErrorCode;
import io.uniserve.sql.engine.SqlDialect;
import io.uniserve.sql.plan.write.QueryScope.ScopedExpression;
import io.uniserve.sql.rows.SqlErrorFactory;
import java.math.BigDecimal;
import java.time.DateTimeException;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.calcite.avatica.util.TimeUnit;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlIntervalLiteral;
import org.apache.calcite.sql.SqlIntervalQualifier;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlLiteral;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlNodeList;
import org.apache.calcite.sql.fun.SqlBetweenOperator;
import org.apache.calcite.sql.fun.SqlCase;
import org.apache.calcite.sql.fun.SqlLikeOperator;
import org.apache.calcite.sql.fun.SqlTrimFunction;
import org.apache.calcite.util.NlsString;

/**
 * Writer of expressions in the engine's SQL. Only the forms that are written here reach an engine. All others are refused with line and
 * column, so no text of a user becomes a part of a statement.
 */
public abstract class SqlWriter {
    private static final Map<SqlKind, String> BINARY = Map.ofEntries(
            Map.entry(SqlKind.AND, "AND"),
            Map.entry(SqlKind.OR, "OR"),
            Map.entry(SqlKind.EQUALS, "="),
            Map.entry(SqlKind.NOT_EQUALS, "<>"),
            Map.entry(SqlKind.LESS_THAN, "<"),
            Map.entry(SqlKind.LESS_THAN_OR_EQUAL, "<="),
            Map.entry(SqlKind.GREATER_THAN, ">"),
            Map.entry(SqlKind.GREATER_THAN_OR_EQUAL, ">="),
            Map.entry(SqlKind.PLUS, "+"),
            Map.entry(SqlKind.MINUS, "-"),
            Map.entry(SqlKind.TIMES, "*"));
    private static final Map<SqlKind, String> PREFIX =
            Map.of(SqlKind.NOT, "NOT ", SqlKind.MINUS_PREFIX, "-", SqlKind.PLUS_PREFIX, "+");
    private static final Map<SqlKind, String> SUFFIX = Map.of(
            SqlKind.IS_NULL, " IS NULL",
            SqlKind.IS_NOT_NULL, " IS NOT NULL",
            SqlKind.IS_UNKNOWN, " IS NULL");
    /** Conditions over a condition, in a form that every engine supports: not every engine accepts a condition as an operand. */
    private static final Map<SqlKind, String[]> TRUTH_TESTS = Map.of(
            SqlKind.IS_TRUE, new String[] {"(CASE WHEN ", " THEN 1 ELSE 0 END = 1)"},
            SqlKind.IS_NOT_TRUE, new String[] {"(CASE WHEN ", " THEN 1 ELSE 0 END = 0)"},
            SqlKind.IS_FALSE, new String[] {"(CASE WHEN NOT ", " THEN 1 ELSE 0 END = 1)"},
            SqlKind.IS_NOT_FALSE, new String[] {"(CASE WHEN NOT ", " THEN 1 ELSE 0 END = 0)"});

    private static final Set<String> FUNCTIONS =
            Set.of("SUBSTRING", "UPPER", "LOWER", "ABS", "ROUND", "COALESCE", "NULLIF", "FLOOR", "CEIL");
    private static final Pattern DATE = Pattern.compile("DATE '(\\d{4}-\\d{2}-\\d{2})'");
    private static final Pattern TYPE = Pattern.compile(
            "BIGINT|INTEGER|DOUBLE|DATE|VARCHAR(?:\\(\\d{1,9}\\))?|DECIMAL\\((\\d{1,9})(?:, ?(\\d{1,9}))?\\)");
    private static final String ERROR = "error('division by zero')";

    /** Limit of nested divisors. Each is written twice, so the text would grow exponentially. */
    private static final int DIVISORS_MAX = 64;

    /** Limit of operands that are written twice, which may be nested as well. */
    private static final int TWICE_CHARS_MAX = 4_096;

    /** Returns the text for a node; empty to write the node as usual. */
    public abstract Optional<String> replacement(SqlNode node);

    /** Returns the sub-query whose value a node is. */
    Optional<SubQuery> subQuery(SqlNode node) {
        return Optional.empty();
    }

    /** Returns the writer of the same expressions within a sub-query. */
    SqlWriter inSubQuery() {
        return this;
    }

    /** Returns the writer for another scope. */
    SqlWriter in(QueryScope queryScope) {
        return this;
    }

    /** Writes an expression, with its own scope. */
    public final String write(ScopedExpression scopedExpression) {
        return in(scopedExpression.names()).write(scopedExpression.node());
    }

    /** Writes an expression, in parentheses if it is more than one word. */
    public final String write(SqlNode node) {
        Optional<String> other = replacement(node);
        if (other.isPresent()) {
            return other.get();
        }
        Optional<SubQuery> sub = subQuery(node);
        if (sub.isPresent()) {
            return SubQueryWriter.text(sub.get(), this);
        }
        if (node instanceof SqlLiteral literal) {
            return literal(literal);
        }
        if (node instanceof SqlIdentifier) {
            throw SqlErrorFactory.invalid(node, "column " + node + " is not known here");
        }
        if (node instanceof SqlCall call) {
            return call(call);
        }
        throw SqlErrorFactory.unsupported(node, SqlErrorFactory.words(node.getKind()) + " is");
    }

    private String call(SqlCall call) {
        SqlKind kind = call.getKind();
        List<SqlNode> operands = call.getOperandList();
        if (BINARY.containsKey(kind) && operands.size() == 2) {
            return dateArithmetic(call).orElseGet(() -> infix(BINARY.get(kind), operands));
        }
        if (PREFIX.containsKey(kind)) {
            return "(" + PREFIX.get(kind) + write(operands.get(0)) + ")";
        }
        if (SUFFIX.containsKey(kind)) {
            return "(" + write(operands.get(0)) + SUFFIX.get(kind) + ")";
        }
        String[] truth = TRUTH_TESTS.get(kind);
        if (truth != null) {
            return truth[0] + write(operands.get(0)) + truth[1];
        }
        return switch (kind) {
            case DIVIDE -> division("/", operands);
            case MOD -> division("%", operands);
            case BETWEEN -> between(call);
            case IN, NOT_IN -> in(call);
            case IS_DISTINCT_FROM, IS_NOT_DISTINCT_FROM -> distinct(call);
            case LIKE -> like(call);
            case CASE -> cases((SqlCase) call);
            case CAST -> "CAST(" + write(operands.get(0)) + " AS " + type(operands.get(1)) + ")";
            case EXTRACT -> "EXTRACT(" + unit(operands.get(0)) + " FROM " + write(operands.get(1)) + ")";
            case TRIM -> trim(call);
            default -> function(call);
        };
    }

    private String infix(String operator, List<SqlNode> operands) {
        return "(" + write(operands.get(0)) + " " + operator + " " + write(operands.get(1)) + ")";
    }

    /** Writes date arithmetic with an interval. Constants are computed here, so that the engine sees a constant. The result is a date. */
    private Optional<String> dateArithmetic(SqlCall call) {
        if (!(call.operand(1) instanceof SqlIntervalLiteral interval)) {
            return Optional.empty();
        }
        if (call.getKind() != SqlKind.PLUS && call.getKind() != SqlKind.MINUS) {
            throw SqlErrorFactory.unsupported(call, "this arithmetic with an interval is");
        }
        SqlIntervalLiteral.IntervalValue value = interval.getValueAs(SqlIntervalLiteral.IntervalValue.class);
        TimeUnit unit = value.getIntervalQualifier().getUnit();
        if (!Set.of(TimeUnit.DAY, TimeUnit.MONTH, TimeUnit.YEAR).contains(unit)
                || !value.getIntervalLiteral().matches("\\d{1,6}")) {
            throw SqlErrorFactory.unsupported(interval, "an interval other than of whole days, months or years is");
        }
        long amount = Long.parseLong(value.getIntervalLiteral())
                * value.getSign()
                * (call.getKind() == SqlKind.MINUS ? -1 : 1);
        Matcher date = DATE.matcher(call.operand(0).toString());
        if (call.operand(0) instanceof SqlLiteral && date.matches()) {
            return Optional.of(addToDate(call, date.group(1), unit, amount));
        }
        String from = write(call.operand(0));
        return Optional.of("CAST((" + from + " + INTERVAL '" + amount + "' " + unit + ") AS DATE)");
    }

    private static String addToDate(SqlCall call, String date, TimeUnit unit, long amount) {
        try {
            LocalDate from = LocalDate.parse(date);
            LocalDate to = switch (unit) {
                case DAY -> from.plusDays(amount);
                case MONTH -> from.plusMonths(amount);
                default -> from.plusYears(amount);
            };
            if (to.getYear() < 1 || to.getYear() > 9_999) {
                throw SqlErrorFactory.invalid(call, "the date is not of the years 1 to 9999");
            }
            return "DATE '" + to + "'";
        } catch (DateTimeException e) {
            throw SqlErrorFactory.invalid(call, "\"" + date + "\" is no date");
        }
    }

    /** Writes a division that fails on a divisor of zero. Engines return NULL or infinity. */
    private String division(String operator, List<SqlNode> operands) {
        String left = write(operands.get(0));
        String right = write(operands.get(1));
        if (operands.get(1) instanceof SqlLiteral number
                && number.getValue() instanceof BigDecimal value
                && value.signum() != 0) {
            return "(" + left + " " + operator + " " + right + ")";
        }
        if (right.split(Pattern.quote(ERROR), DIVISORS_MAX + 2).length > DIVISORS_MAX) {
            throw SqlErrorFactory.unsupported(operands.get(1), "a divisor with too many divisors in it is");
        }
        return "(" + left + " " + operator + " CASE WHEN " + right + " = 0 THEN " + ERROR + " ELSE " + right + " END)";
    }

    /** Writes IS DISTINCT FROM in a form that every engine supports. */
    private String distinct(SqlCall call) {
        String left = write(call.operand(0));
        String right = write(call.operand(1));
        if (left.length() + right.length() > TWICE_CHARS_MAX) {
            throw SqlErrorFactory.unsupported(call, call.getOperator().getName() + " of expressions this long is");
        }
        return "(CASE WHEN " + left + " = " + right + " OR " + left + " IS NULL AND " + right
                + " IS NULL THEN 0 ELSE 1 END = " + (call.getKind() == SqlKind.IS_DISTINCT_FROM ? "1)" : "0)");
    }

    private String between(SqlCall call) {
        SqlBetweenOperator operator = (SqlBetweenOperator) call.getOperator();
        if (operator.flag == SqlBetweenOperator.Flag.SYMMETRIC) {
            throw SqlErrorFactory.unsupported(call, "BETWEEN SYMMETRIC is");
        }
        return "(" + write(call.operand(0)) + (operator.isNegated() ? " NOT" : "") + " BETWEEN "
                + write(call.operand(1)) + " AND " + write(call.operand(2)) + ")";
    }

    private String in(SqlCall call) {
        if (!(call.operand(1) instanceof SqlNodeList list)) {
            throw SqlErrorFactory.unsupported(call, "this sub-query is");
        }
        return "(" + write(call.operand(0)) + (call.getKind() == SqlKind.IN ? " IN (" : " NOT IN (")
                + commaSeparated(list) + "))";
    }

    private String like(SqlCall call) {
        SqlLikeOperator operator = (SqlLikeOperator) call.getOperator();
        if (!operator.getName().endsWith("LIKE") || operator.getName().endsWith("RLIKE")) {
            throw SqlErrorFactory.unsupported(call, operator.getName() + " is");
        }
        if (call.operandCount() > 2) {
            checkEscape(call.operand(1), call.operand(2));
        }
        String escape = call.operandCount() > 2 ? " ESCAPE " + write(call.operand(2)) : "";
        return "(" + write(call.operand(0)) + " " + operator.getName() + " " + write(call.operand(1)) + escape + ")";
    }

    /** Checks ESCAPE as far as it is constant, to report line and column. The engine checks the rest. */
    private static void checkEscape(SqlNode pattern, SqlNode escape) {
        if (!(escape instanceof SqlLiteral literal && literal.getValue() instanceof NlsString text)) {
            return;
        }
        String character = text.getValue();
        if (character.length() != 1) {
            throw SqlErrorFactory.invalid(escape, "ESCAPE needs one character, not " + character.length());
        }
        if (pattern instanceof SqlLiteral known
                && known.getValue() instanceof NlsString all
                && all.getValue().replace(character + character, "").endsWith(character)) {
            throw SqlErrorFactory.invalid(
                    pattern, "the pattern ends with its ESCAPE character; add the character that it escapes");
        }
    }

    private String cases(SqlCase cases) {
        StringBuilder text = new StringBuilder("(CASE");
        SqlNode value = cases.getValueOperand();
        if (value != null) {
            text.append(' ').append(write(value));
        }
        for (int i = 0; i < cases.getWhenOperands().size(); i++) {
            text.append(" WHEN ").append(write(cases.getWhenOperands().get(i)));
            text.append(" THEN ").append(write(cases.getThenOperands().get(i)));
        }
        SqlNode otherwise = cases.getElseOperand();
        if (otherwise != null) {
            text.append(" ELSE ").append(write(otherwise));
        }
        return text.append(" END)").toString();
    }

    private static String type(SqlNode node) {
        String type = node.toString().toUpperCase(Locale.ROOT);
        Matcher matcher = TYPE.matcher(type);
        if (!matcher.matches()) {
            throw SqlErrorFactory.unsupported(node, "CAST to " + node + " is");
        }
        if (matcher.group(1) == null) {
            return type.replaceFirst("\\(.*", ""); // engines here do not truncate a text to the length of its type
        }
        int digits = Integer.parseInt(matcher.group(1));
        int scale = matcher.group(2) == null ? 0 : Integer.parseInt(matcher.group(2));
        if (digits < 1 || digits > ColumnType.PRECISION_MAX || scale > digits) {
            throw SqlErrorFactory.invalid(
                    node,
                    "CAST to " + node + ": a DECIMAL(P, S) has P of 1 to " + ColumnType.PRECISION_MAX + ", and S to P");
        }
        return "DECIMAL(" + digits + ", " + scale + ")";
    }

    private static String unit(SqlNode node) {
        if (node instanceof SqlIntervalQualifier qualifier
                && Set.of(TimeUnit.DAY, TimeUnit.MONTH, TimeUnit.YEAR, TimeUnit.QUARTER)
                        .contains(qualifier.getUnit())) {
            return qualifier.getUnit().name();
        }
        throw SqlErrorFactory.unsupported(node, "EXTRACT of " + node + " is");
    }

    private String trim(SqlCall call) {
        SqlTrimFunction.Flag side = ((SqlLiteral) call.operand(0)).getValueAs(SqlTrimFunction.Flag.class);
        return "TRIM(" + side + " " + write(call.operand(1)) + " FROM " + write(call.operand(2)) + ")";
    }

    private String function(SqlCall call) {
        String name = call.getOperator().getName().toUpperCase(Locale.ROOT);
        if (name.equals("||")) {
            return infix("||", call.getOperandList());
        }
        if (name.equals("CHAR_LENGTH") || name.equals("CHARACTER_LENGTH")) {
            return "LENGTH(" + commaSeparated(call.getOperandList()) + ")";
        }
        if (!FUNCTIONS.contains(name)) {
            throw SqlErrorFactory.unsupported(call, call.getOperator().getName() + " is");
        }
        if (call.getOperandList().stream().anyMatch(SqlIntervalQualifier.class::isInstance)) {
            throw SqlErrorFactory.unsupported(call, name + " to " + call.operand(1) + " is");
        }
        return name + "(" + commaSeparated(call.getOperandList()) + ")";
    }

    private String commaSeparated(List<? extends SqlNode> nodes) {
        List<String> texts = new ArrayList<>();
        nodes.forEach(node -> texts.add(write(node)));
        return String.join(", ", texts);
    }

    private static String literal(SqlLiteral literal) {
        Object value = literal.getValue();
        Matcher date = DATE.matcher(literal.toString());
        if (value == null) {
            return "NULL";
        }
        if (value instanceof BigDecimal number) {
            return literal.toString().toUpperCase(Locale.ROOT).contains("E")
                    ? "CAST(" + number + " AS DOUBLE)"
                    : number.toPlainString();
        }
        if (value instanceof Boolean known) {
            return known ? "TRUE" : "FALSE";
        }
        if (value instanceof NlsString text) {
            return SqlDialect.DUCKDB.textLiteral(
                    CodePoints.checked(ErrorCode.INVALID_ARGUMENT, "a text constant", text.getValue()));
        }
        if (date.matches()) {
            return "DATE '" + date.group(1) + "'";
        }
        throw SqlErrorFactory.unsupported(literal, "the constant " + literal + " is");
    }

    /** Returns WHERE with all of these conditions; an empty text if there are none. */
    public static String where(List<String> conditions) {
        return conditions.isEmpty() ? "" : " WHERE " + String.join(" AND ", conditions);
    }
}
