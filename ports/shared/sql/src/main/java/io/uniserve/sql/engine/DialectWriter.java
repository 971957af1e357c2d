package io.uniserve.sql.engine;

import java.time.LocalDate;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Translation of a finished statement into a dialect, part by part from the left. A word directly before a parenthesis is a function. Words
 * of SQL are in capital letters, names given by statements are not. For one thread and one statement.
 */
final class DialectWriter {
    private static final Pattern PART = Pattern.compile("DATE '(?<date>\\d{4}-\\d{2}-\\d{2})'"
            + "|INTERVAL '(?<amount>-?\\d++)' (?<unit>[A-Z]++)"
            + "|'(?<text>(?:[^']|'')*+)'|\"(?<name>(?:[^\"]|\"\")*+)\""
            + "|\\d[\\d.]*+(?:E[-+]?\\d++)?+"
            + "|(?<function>[\\p{L}_][\\p{L}\\p{N}_]*+)\\(|(?<word>[\\p{L}_][\\p{L}\\p{N}_]*+)");

    private static final Pattern WITH_CAPITALS = Pattern.compile("[A-Z_]+");

    private final SqlDialect dialect;
    private final String statement;
    private final Deque<Frame> frames = new ArrayDeque<>();

    /** Open parenthesis. One without a function is a part of its argument. */
    private static final class Frame {
        final String function;
        final List<String> arguments = new ArrayList<>();
        final StringBuilder text = new StringBuilder();

        Frame(String function) {
            this.function = function;
        }
    }

    DialectWriter(SqlDialect dialect, String statement) {
        this.dialect = dialect;
        this.statement = statement;
    }

    String written() {
        frames.push(new Frame(""));
        Matcher parts = PART.matcher(statement);
        int at = 0;
        while (at < statement.length()) {
            parts.region(at, statement.length());
            if (parts.lookingAt()) {
                at = writePart(parts);
            } else {
                sign(statement.charAt(at));
                at++;
            }
        }
        return top().text.toString();
    }

    private Frame top() {
        return frames.element();
    }

    /** Writes the part that starts here and returns its end. */
    private int writePart(Matcher part) {
        StringBuilder out = top().text;
        if (part.group("date") != null) {
            out.append(dialect.dateLiteral(LocalDate.parse(part.group("date"))));
        } else if (part.group("unit") != null) {
            out.append(dialect.intervalLiteral(Long.parseLong(part.group("amount")), part.group("unit")));
        } else if (part.group("text") != null) {
            out.append(dialect.textLiteral(part.group("text").replace("''", "'")));
        } else if (part.group("name") != null) {
            out.append(dialect.columnName(part.group("name").replace("\"\"", "\"")));
        } else if (part.group("function") != null) {
            frames.push(new Frame(part.group("function")));
        } else if (part.group("word") == null) {
            out.append(part.group());
        } else if (part.group().equals("AS") && top().function.equals("CAST")) {
            int end = type(part.end());
            out.append("AS ").append(dialect.typeName(statement.substring(part.end() + 1, end)));
            return end;
        } else {
            String word = part.group();
            out.append(WITH_CAPITALS.matcher(word).matches() ? word : dialect.relationName(word));
        }
        return part.end();
    }

    /** Returns the end of the type, before the parenthesis that closes the CAST. */
    private int type(int from) {
        int depth = 0;
        for (int i = from; i < statement.length(); i++) {
            char c = statement.charAt(i);
            if (c == ')' && depth == 0) {
                return i;
            }
            depth += c == '(' ? 1 : c == ')' ? -1 : 0;
        }
        return statement.length();
    }

    private void sign(char sign) {
        if (sign == '(') {
            frames.push(new Frame(""));
            return;
        }
        Frame frame = top();
        if (sign == ')' && frames.size() > 1) {
            frames.pop();
            top().text.append(closeFrame(frame));
        } else if (sign == ',' && !frame.function.isEmpty()) {
            frame.arguments.add(frame.text.toString());
            frame.text.setLength(0);
        } else if (sign != ' ' || frame.function.isEmpty() || frame.text.length() > 0) {
            frame.text.append(sign);
        }
    }

    private String closeFrame(Frame frame) {
        String last = frame.text.toString();
        if (frame.function.isEmpty()) {
            return "(" + last + ")";
        }
        if (frame.function.equals("CAST")) {
            return "CAST(" + last + ")";
        }
        if (!last.isEmpty() || !frame.arguments.isEmpty()) {
            frame.arguments.add(last);
        }
        return dialect.functionCall(frame.function, frame.arguments);
    }
}
