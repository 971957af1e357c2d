package io.uniserve.port.solr;

import static org.assertj.core.api.Assertions.assertThatCode;

import io.uniserve.api.extra.PackedFilesCodec;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The expressions of the language's table end soon, and without deep recursion, for every query text. */
class LanguagePatternsTest {
    private static final int STEPS_PER_CHARACTER = 300;

    /** Text that counts the accesses of an expression to its characters. */
    private static final class Counted implements CharSequence {
        private final String text;
        private final long[] left;

        Counted(String text) {
            this(text, new long[] {(long) STEPS_PER_CHARACTER * text.length()});
        }

        private Counted(String text, long[] left) {
            this.text = text;
            this.left = left;
        }

        @Override
        public char charAt(int index) {
            if (--left[0] < 0) {
                throw new AssertionError("more than " + STEPS_PER_CHARACTER + " steps for each character");
            }
            return text.charAt(index);
        }

        @Override
        public int length() {
            return text.length();
        }

        @Override
        public CharSequence subSequence(int start, int end) {
            return new Counted(text.substring(start, end), left);
        }

        @Override
        public String toString() {
            return text;
        }
    }

    static Stream<Pattern> patterns() {
        return PackedFilesCodec.readResource(SolrLanguage.class, "language.txt")
                .lines()
                .map(line -> line.split(" \\| "))
                .flatMap(cells -> switch (cells[0]) {
                    case "shape" -> Stream.of(Pattern.compile("\\A(?:" + cells[2] + ")\\z", Pattern.DOTALL));
                    case "words" -> Stream.of(Pattern.compile(cells[2], Pattern.MULTILINE | Pattern.UNIX_LINES));
                    case "never" -> Stream.of(Pattern.compile(cells[1], Pattern.MULTILINE | Pattern.DOTALL));
                    case "pattern" ->
                        Stream.of(Pattern.compile(cells[2].replace("NAMES", "ord|join"), Pattern.UNIX_LINES));
                    default -> Stream.empty();
                });
    }

    /** The part between the colons is repeated. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "fq={!f=::xdf=::x",
                "fq=::{!a=b ::x",
                "fq=::{!a='::x",
                "fq=::{!a=\"{!b='::x",
                "fq={!::a='b' ::x",
                "fq={!a='::\\::x",
                "distrib.statsCache=true\nfl=::{!func ::x",
                "distrib.statsCache=true\nstats.field={!::a ::x",
                "distrib.statsCache=true\nstats.field={!::$a ::x",
                "distrib.statsCache=true\njson.facet=::max(::x",
                "distrib.statsCache=true\nq=::complexphrase ::x",
                "distrib.statsCache=true\nfl=::boost( ::x",
                "hl.method=original\nf.::hl.usePhraseHighlighter=::true",
                "fq={!f=::xdf=::x}\\",
                "fq={!::f=a ::x",
                "fq={!f='::a f=::' }\\",
                "fq={!lucene ::df=text q.op=AND ::}river\\",
                "facet.field={!::key=a ::",
                "stats.field={!::min max=true ::}",
                "facet.field={!f.::a.facet.::",
                "facet.range={!f.::a.facet.range.::x}stock_i",
                "distrib.statsCache=true\nq=::{!func ::x",
                "::facet.query={!key=k}x\n::",
                "::facet.range={!key=k}x\nfacet.pivot={!key=p}a,b\n::",
                "fl=::[value::",
                "fl=[value::  ::",
            })
    void endSoon(String hostile) {
        endSoon(hostile, 60);
        endSoon(hostile, 4_000);
    }

    private static void endSoon(String hostile, int repeated) {
        String[] parts = hostile.split("::");
        String text = "q=*:*\n" + parts[0] + parts[1].repeat(repeated) + (parts.length > 2 ? parts[2] : "") + "\n";
        patterns().forEach(pattern -> {
            Matcher matcher = pattern.matcher(new Counted(text));
            assertThatCode(() -> {
                        while (matcher.find()) {
                            matcher.end();
                        }
                    })
                    .as(pattern + " in " + hostile)
                    .doesNotThrowAnyException();
        });
    }
}
