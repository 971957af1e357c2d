package io.uniserve.lucene;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ConcurrentModificationException;
import java.util.IllformedLocaleException;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.store.AlreadyClosedException;
import org.apache.lucene.util.automaton.Automaton;
import org.apache.lucene.util.automaton.TooComplexToDeterminizeException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class QueryErrorClassifierTest {
    private static final Pattern HERE = Pattern.compile("\\.QueryErrorClassifierTest\\.read$");

    private static RuntimeException read(@Nullable Throwable cause) {
        return new RuntimeException(cause);
    }

    private static String reason(String message) {
        return QueryErrorClassifier.reasons("use less").apply(message);
    }

    @Test
    void whatQueriesAloneCanCause() {
        assertThat(QueryErrorClassifier.isOne(new IndexSearcher.TooManyClauses()))
                .isTrue();
        assertThat(QueryErrorClassifier.isOne(new TooComplexToDeterminizeException(new Automaton(), 9)))
                .isTrue();
        assertThat(QueryErrorClassifier.isOne(new PatternSyntaxException("unclosed", "(", 0)))
                .isTrue();
        assertThat(QueryErrorClassifier.isOne(new NumberFormatException("x"))).isTrue();
        assertThat(QueryErrorClassifier.isOne(new IllformedLocaleException("x")))
                .isTrue();
        assertThat(QueryErrorClassifier.isOne(new NullPointerException("x"))).isFalse();
        assertThat(QueryErrorClassifier.isOne(new AlreadyClosedException("x"))).isFalse();
    }

    @Test
    void whatFailsWhileAQueryIsReadIsItsFaultUnlessADiskOrAClosedIndexIs() {
        assertThat(QueryErrorClassifier.whileRead(read(null), HERE)).isTrue();
        assertThat(QueryErrorClassifier.whileRead(read(new ClassNotFoundException("x")), HERE))
                .isTrue();
        assertThat(QueryErrorClassifier.whileRead(read(new IOException("x")), HERE))
                .isFalse();
        assertThat(QueryErrorClassifier.whileRead(read(new AlreadyClosedException("x")), HERE))
                .isFalse();
        assertThat(QueryErrorClassifier.whileRead(read(new ConcurrentModificationException()), HERE))
                .isFalse();
        assertThat(QueryErrorClassifier.whileRead(new RuntimeException("elsewhere"), HERE))
                .isFalse();
    }

    @Test
    void theReasonComesFirstAndTheTextLast() {
        String words = "a ".repeat(900);
        assertThat(
                        reason(
                                "org.apache.solr.search.SyntaxError: Cannot parse '" + words
                                        + "': Too many clauses in boolean query: encountered=1025 configured in solrconfig.xml via maxBooleanClauses=1024"))
                .startsWith("the query has 1,025 clauses, at most 1,024: use less; in: a a");
        assertThat(reason("maxClauseCount is set to 1024")).isEqualTo("maxClauseCount is set to 1024");
        assertThat(reason("Query contains too many nested clauses; maxClauseCount is set to 1024"))
                .isEqualTo("the query has too many clauses, at most 1,024: use less");
        assertThat(
                        reason(
                                "Cannot parse 'law OR': Encountered \"<EOF>\" at line 1, column 6.\nWas expecting one of:\n <NOT> ..."))
                .isEqualTo("the query ends too early, line 1, column 6; in: law OR");
        assertThat(
                        reason(
                                "Cannot parse 'a OR OR': Encountered \" <OR> \"OR \"\" at line 1, column 5.\nWas expecting: <NOT>"))
                .isEqualTo("syntax error at \"OR\", line 1, column 5; in: a OR OR");
        assertThat(
                        reason(
                                "Cannot parse '\"law': Lexical error at line 1, column 5.  Encountered: <EOF> after prefix \"\\\"law\" (in lexical state 3)"))
                .isEqualTo("the query ends too early, line 1, column 5; in: \"law");
        assertThat(reason("Determinizing (.*a.{18}) would require more than 10000 effort."))
                .isEqualTo("the regular expression or wildcard is too complex; use a simpler one than: (.*a.{18})");
        assertThat(reason("For input string: \"abc\"")).isEqualTo("\"abc\" is not a number, or is too large");
        assertThat(reason("Cannot invoke \"Object.hashCode()\" because \"key\" is null"))
                .startsWith("a parser or function has no value for one of its parameters");
        assertThat(reason("No QueryObjectBuilder defined for node Foo in LocalSolrQueryRequest{q=x}"))
                .isEqualTo("No QueryObjectBuilder defined for node Foo");
    }
}
