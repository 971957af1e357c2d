package io.uniserve.sql;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlLiteral;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.parser.SqlParserPos;
import org.apache.calcite.sql.util.SqlShuttle;
import org.jspecify.annotations.Nullable;

/**
 * A statement with each {@code value::type} written as {@code CAST(value AS type)}, which the parser knows; places are still those
 * of the user's text. Immutable.
 */
final class InfixCasts {
    private static final String INFIX = "::";
    private static final Pattern TOKEN = Pattern.compile(
            "(?s)(?:--|//)[^\r\n]*+|/\\*.*?\\*/|\\s+"
                    + "|(?<text>'(?:[^']|'')*+')|(?<quoted>\"(?:[^\"]|\"\")*+\")"
                    + "|(?<number>(?:\\d++(?:\\.\\d*+)?|\\.\\d++)(?:[eE][-+]?\\d++)?+)|(?<word>[\\p{L}_][\\p{L}\\p{N}_$]*+)|::|.");

    /** Words before a bracket that are no function's name. */
    private static final Set<String> NO_FUNCTIONS = Set.of(
            "AND",
            "OR",
            "NOT",
            "IN",
            "SELECT",
            "WHERE",
            "ON",
            "HAVING",
            "BY",
            "WHEN",
            "THEN",
            "ELSE",
            "CASE",
            "BETWEEN",
            "LIKE",
            "AS",
            "FROM",
            "ALL",
            "DISTINCT",
            "LIMIT",
            "OFFSET",
            "IS",
            "ESCAPE",
            "VALUES");

    private static final Set<String> TYPED = Set.of("DATE", "TIME", "TIMESTAMP");

    private final String given;
    private final String written;
    /** Where each character of what is written is in the given text. */
    private final int[] origins;

    private record Token(String kind, int start, int end, String upper) {}

    private InfixCasts(String given, String written, int[] origins) {
        this.given = given;
        this.written = written;
        this.origins = origins;
    }

    /** The statement for the parser. */
    String text() {
        return written;
    }

    static InfixCasts of(String given) {
        List<Token> tokens = given.contains(INFIX) ? tokens(given) : List.of();
        Map<Integer, String> before = new TreeMap<>();
        Map<Integer, Integer> ends = new TreeMap<>();
        for (int i = 1; i + 1 < tokens.size(); i++) {
            if (!tokens.get(i).upper.equals(INFIX)) {
                continue;
            }
            int type = type(tokens, i + 1);
            Integer chained = ends.get(i - 1);
            int value = chained == null ? value(tokens, i - 1) : chained;
            if (type < 0 || value < 0) {
                continue; // the parser refuses it there
            }
            ends.put(type, value);
            before.merge(tokens.get(value).start, "CAST(", String::concat);
            before.merge(tokens.get(type).end, ")", (known, one) -> one + known);
        }
        return ends.isEmpty() ? new InfixCasts(given, given, new int[0]) : written(given, tokens, before);
    }

    private static InfixCasts written(String given, List<Token> tokens, Map<Integer, String> before) {
        Set<Integer> casts = Set.copyOf(tokens.stream()
                .filter(token -> token.upper.equals(INFIX))
                .map(Token::start)
                .toList());
        StringBuilder text = new StringBuilder();
        List<Integer> origins = new ArrayList<>();
        for (int i = 0; i <= given.length(); i++) {
            add(before.getOrDefault(i, ""), i, text, origins);
            if (casts.contains(i)) {
                add(" AS ", i, text, origins);
                i++;
            } else if (i < given.length()) {
                add(given.substring(i, i + 1), i, text, origins);
            }
        }
        return new InfixCasts(
                given,
                text.toString(),
                origins.stream().mapToInt(Integer::intValue).toArray());
    }

    private static void add(String part, int origin, StringBuilder text, List<Integer> origins) {
        text.append(part);
        for (int i = 0; i < part.length(); i++) {
            origins.add(origin);
        }
    }

    private static List<Token> tokens(String text) {
        List<Token> tokens = new ArrayList<>();
        for (Matcher next = TOKEN.matcher(text); next.find(); ) {
            String kind = "sign";
            for (String one : List.of("text", "quoted", "number", "word")) {
                kind = next.group(one) == null ? kind : one;
            }
            String token = next.group();
            boolean blank =
                    token.isBlank() || token.startsWith("--") || token.startsWith("//") || token.startsWith("/*");
            if (!blank) {
                tokens.add(new Token(kind, next.start(), next.end(), token.toUpperCase(Locale.ROOT)));
            }
        }
        return tokens;
    }

    /** The last token of the type that begins here; -1 where none does. */
    private static int type(List<Token> tokens, int first) {
        if (!tokens.get(first).kind.equals("word")) {
            return -1;
        }
        int last = first;
        if (is(tokens, last, "DOUBLE") && is(tokens, last + 1, "PRECISION")) {
            last++;
        }
        if (is(tokens, last + 1, "(")) {
            for (int i = last + 2; i < tokens.size(); i++) {
                if (tokens.get(i).upper.equals(")")) {
                    return i;
                }
            }
        }
        return last;
    }

    private static boolean is(List<Token> tokens, int at, String upper) {
        return at >= 0 && at < tokens.size() && tokens.get(at).upper.equals(upper);
    }

    /** The first token of the value that ends here; -1 where none does. */
    private static int value(List<Token> tokens, int last) {
        Token token = tokens.get(last);
        return switch (token.kind) {
            case "text" -> last > 0 && TYPED.contains(tokens.get(last - 1).upper) ? last - 1 : last;
            case "number" -> last;
            case "quoted" -> name(tokens, last);
            case "word" ->
                NO_FUNCTIONS.contains(token.upper)
                        ? -1
                        : token.upper.equals("END") ? opening(tokens, last, "CASE", "END") : name(tokens, last);
            default -> token.upper.equals(")") ? bracket(tokens, last) : -1;
        };
    }

    private static int bracket(List<Token> tokens, int last) {
        int open = opening(tokens, last, "(", ")");
        if (open > 0) {
            Token before = tokens.get(open - 1);
            boolean named = before.kind.equals("quoted") || before.kind.equals("word");
            return named && !NO_FUNCTIONS.contains(before.upper) ? name(tokens, open - 1) : open;
        }
        return open;
    }

    /** The first of words with points between. */
    private static int name(List<Token> tokens, int last) {
        int first = last;
        while (is(tokens, first - 1, ".") && first >= 2) {
            first -= 2;
        }
        return first;
    }

    private static int opening(List<Token> tokens, int last, String open, String close) {
        int inside = 0;
        for (int i = last; i >= 0; i--) {
            inside += is(tokens, i, close) ? 1 : is(tokens, i, open) ? -1 : 0;
            if (inside == 0) {
                return i;
            }
        }
        return -1;
    }

    /** The tree with the places of the user's text. */
    SqlNode placed(SqlNode tree) {
        if (origins.length == 0) {
            return tree;
        }
        SqlNode placed = tree.accept(new Placing());
        return placed == null ? tree : placed;
    }

    /** A place in the user's text. */
    SqlParserPos placed(SqlParserPos place) {
        if (origins.length == 0 || place.getLineNum() <= 0) {
            return place;
        }
        int[] start = place(place.getLineNum(), place.getColumnNum());
        int[] end = place(place.getEndLineNum(), place.getEndColumnNum());
        return new SqlParserPos(start[0], start[1], end[0], end[1]);
    }

    private int[] place(int line, int column) {
        int at = 0;
        for (int left = line; left > 1; left--) {
            int next = written.indexOf('\n', at);
            at = next < 0 ? at : next + 1;
        }
        int origin = origins[Math.min(origins.length - 1, at + Math.max(0, column - 1))];
        int before = given.lastIndexOf('\n', origin - 1);
        int lines =
                (int) given.substring(0, origin).chars().filter(c -> c == '\n').count();
        return new int[] {lines + 1, origin - before};
    }

    /** Gives each node its place in the user's text. */
    private final class Placing extends SqlShuttle {
        @Override
        public @Nullable SqlNode visit(SqlIdentifier id) {
            return id.clone(placed(id.getParserPosition()));
        }

        @Override
        public @Nullable SqlNode visit(SqlLiteral literal) {
            return literal.clone(placed(literal.getParserPosition()));
        }

        @Override
        public @Nullable SqlNode visit(SqlCall call) {
            SqlNode inside = super.visit(call);
            return inside == null ? null : inside.clone(placed(call.getParserPosition()));
        }
    }
}
