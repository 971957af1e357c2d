package io.uniserve.checks;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Filter that replaces comments and literals of Java source by blanks, so that a scan finds only code. Line numbers do not change. */
final class CodeOnly {
    private static final Pattern NOT_CODE = Pattern.compile(
            "(?s)/\\*.*?\\*/|//[^\\n]*|\"\"\".*?(?<!\\\\)\"\"\"|\"(?:\\\\.|[^\"\\\\\\n])*+\"|'(?:\\\\.|[^'\\\\\\n])*+'");

    private CodeOnly() {}

    static String of(String source) {
        Matcher matcher = NOT_CODE.matcher(source);
        StringBuilder code = new StringBuilder();
        while (matcher.find()) {
            String lines = matcher.group().replaceAll("[^\\n]", "");
            String literal = matcher.group().startsWith("\"") ? "\"\"" : " ";
            matcher.appendReplacement(code, Matcher.quoteReplacement(literal + lines));
        }
        return matcher.appendTail(code).toString();
    }
}
