package io.uniserve.sql.rows;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.PrintableText;
import io.uniserve.error.UniserveException;
import java.io.StringReader;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.apache.calcite.runtime.CalciteContextException;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.parser.SqlParseException;
import org.apache.calcite.sql.parser.SqlParser;
import org.apache.calcite.sql.parser.SqlParserPos;
import org.jspecify.annotations.Nullable;

/** Errors with their place in the query. */
public final class SqlErrorFactory {
    private static final Pattern AT = Pattern.compile(" at line \\d+, column \\d+\\.?");
    private static final Pattern TOKEN = Pattern.compile("(?s)Encountered \"(.*?)\" at line.*");

    private static final Pattern KEYWORD = Pattern.compile("(?s)Incorrect syntax near the keyword .*");

    private static final Pattern SIGNATURE =
            Pattern.compile("(?s)No match found for function signature ([^(]+)\\((.*)\\)");

    private SqlErrorFactory() {}

    /** Returns the error for a text that the parser rejected. */
    public static UniserveException syntax(SqlParseException failure, String text, SqlParser.Config parser) {
        if (failure.getCause() instanceof StackOverflowError) {
            return tooDeep(failure);
        }
        String message = String.valueOf(failure.getMessage());
        Matcher keyword = KEYWORD.matcher(message);
        if (keyword.matches() && failure.getPos() != null) {
            Token wrong = wrong(failure, text, failure.getPos());
            return new UniserveException(
                    ErrorCode.INVALID_ARGUMENT,
                    at(wrong.place()) + "syntax error at \"" + PrintableText.line(wrong.text()) + "\""
                            + reservedWordHint(wrong.text(), parser),
                    failure);
        }
        Matcher token = TOKEN.matcher(message);
        String first = message.lines().findFirst().orElse("");
        String told = token.matches()
                ? "syntax error at \"" + PrintableText.line(token.group(1)) + "\""
                        + reservedWordHint(token.group(1), parser)
                : "syntax error: " + PrintableText.line(AT.matcher(first).replaceAll(""));
        return new UniserveException(ErrorCode.INVALID_ARGUMENT, at(failure.getPos()) + told, failure);
    }

    private record Token(String text, SqlParserPos place) {}

    /** Finds the first token that no expected sequence contains. The parser reports only the first token of the sequence that it tried. */
    private static Token wrong(SqlParseException failure, String text, SqlParserPos place) {
        int start = 0;
        for (int line = 1; line < place.getLineNum(); line++) {
            start = text.indexOf('\n', start) + 1;
        }
        Matcher next = Pattern.compile("\\w+|\\S").matcher(text);
        List<String> expected = new ArrayList<>();
        boolean found = next.find(Math.min(text.length(), start + place.getColumnNum() - 1));
        while (found && isExpectedPrefix(failure, expected, next.group())) {
            expected.add(next.group().toUpperCase(Locale.ROOT));
            found = next.find();
        }
        if (!found) {
            return new Token("<EOF>", place);
        }
        int line = text.lastIndexOf('\n', next.start()) + 1;
        int lines = (int) text.substring(0, line).chars().filter(c -> c == '\n').count();
        return new Token(next.group(), new SqlParserPos(lines + 1, next.start() - line + 1));
    }

    /** True if the parser expected a sequence that starts with these words followed by this one. */
    private static boolean isExpectedPrefix(SqlParseException failure, List<String> words, String word) {
        List<String> all = new ArrayList<>(words);
        all.add(word.toUpperCase(Locale.ROOT));
        int[][] sequences = failure.getExpectedTokenSequences();
        String[] images = failure.getTokenImages();
        return sequences != null
                && images != null
                && Arrays.stream(sequences)
                        .filter(sequence -> sequence.length > all.size())
                        .anyMatch(sequence -> IntStream.range(0, all.size())
                                .allMatch(i -> images[sequence[i]].equals("\"" + all.get(i) + "\"")));
    }

    /** Returns the hint to quote a reserved word, if the parser stopped in or after one. */
    private static String reservedWordHint(String tokens, SqlParser.Config parser) {
        for (String word : tokens.strip().split("\\s+")) {
            if (word.matches("\\w+")
                    && parser.parserFactory()
                            .getParser(new StringReader(""))
                            .getMetadata()
                            .isReservedWord(word.toUpperCase(Locale.ROOT))) {
                return "; " + quoteHint(word);
            }
        }
        return "";
    }

    /** Returns the hint for a reserved word that is used as a name. */
    public static String quoteHint(String word) {
        return word + " is a reserved word: a column of this name stands in double quotes, \"" + word + "\"";
    }

    /** Returns the error for an invalid date, time or timestamp. Any other failure is a defect of the planner and is returned unchanged. */
    public static RuntimeException invalidLiteral(IllegalArgumentException failure) {
        String message = String.valueOf(failure.getMessage());
        return message.contains(" out of range: [")
                ? new UniserveException(
                        ErrorCode.INVALID_ARGUMENT,
                        "a date, time or timestamp is not valid: " + PrintableText.line(message),
                        failure)
                : failure;
    }

    /** Returns the validator's message in terms of the query. */
    public static String plainMessage(Throwable failure) {
        String message = String.valueOf(failure.getMessage());
        Matcher signature = SIGNATURE.matcher(message);
        if (signature.matches()) {
            return "function " + signature.group(1) + " does not take "
                    + (signature.group(2).isBlank()
                            ? "no arguments"
                            : "arguments of types " + signature.group(2).replaceAll("[<>]", ""))
                    + "; docs/manual/sql.md lists the functions";
        }
        String remedy = message.equals("Illegal use of 'NULL'") ? "; give it a type, as CAST(NULL AS INTEGER)" : "";
        return PrintableText.line(message + remedy);
    }

    /** Returns the name of a kind of syntax as users know it, not as the parser names it. */
    public static String words(SqlKind kind) {
        return switch (kind) {
            case COLLECTION_TABLE, OTHER_FUNCTION -> "a function";
            case ARRAY_VALUE_CONSTRUCTOR -> "ARRAY";
            case MAP_VALUE_CONSTRUCTOR -> "MAP";
            case MULTISET_VALUE_CONSTRUCTOR -> "MULTISET";
            case DYNAMIC_PARAM -> "a parameter (?)";
            case OTHER -> "this part of SQL";
            default -> kind.name().replace('_', ' ');
        };
    }

    public static UniserveException tooDeep(Throwable failure) {
        String message = "the query's expressions are nested too deeply; use fewer parentheses and operators";
        return new UniserveException(ErrorCode.INVALID_ARGUMENT, message, failure);
    }

    /** Returns the error of a query that is well-formed but does not fit its tables. */
    public static UniserveException wrong(CalciteContextException failure) {
        Throwable cause = failure.getCause();
        String told = plainMessage(cause == null ? failure : cause);
        SqlParserPos place = new SqlParserPos(failure.getPosLine(), failure.getPosColumn());
        return new UniserveException(ErrorCode.INVALID_ARGUMENT, at(place) + told, failure);
    }

    public static UniserveException invalid(SqlNode node, String problem) {
        return UniserveException.invalid(at(node.getParserPosition()) + problem);
    }

    /** Returns the error for SQL that this planner does not support. */
    public static UniserveException unsupported(SqlNode node, String what) {
        return UniserveException.unsupported(
                at(node.getParserPosition()) + what + " not supported; docs/manual/sql.md lists the supported SQL");
    }

    public static UniserveException tooMany(SqlNode node, int most) {
        return UniserveException.unsupported(at(node.getParserPosition()) + "a query has at most " + most
                + " SELECTs, those of sub-queries and WITH among them, and this is one more: ask for several values of"
                + " the same rows in one SELECT, join tables in place of sub-queries, or ask several queries");
    }

    /** Adds the place of a node to an error. A missing table becomes INVALID_ARGUMENT: the query is wrong, not its routing. */
    public static UniserveException withPosition(SqlNode node, UniserveException failure) {
        ErrorCode code = failure.code() == ErrorCode.TABLE_NOT_FOUND ? ErrorCode.INVALID_ARGUMENT : failure.code();
        return new UniserveException(code, at(node.getParserPosition()) + failure.reason(), failure);
    }

    /** Returns the place of a node, as a prefix for messages. */
    public static String position(SqlNode node) {
        return at(node.getParserPosition());
    }

    private static String at(@Nullable SqlParserPos place) {
        if (place == null || place.getLineNum() <= 0) {
            return "";
        }
        return "line " + place.getLineNum() + ", column " + place.getColumnNum() + ": ";
    }
}
