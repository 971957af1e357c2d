package io.uniserve.port.solr.query;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.uniserve.api.operator.OperatorContext;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;

class CancellationCheckerTest {
    private int looksLeft = Integer.MAX_VALUE;

    private final OperatorContext context = new OperatorContext() {
        @Override
        public int actor() {
            return 0;
        }

        @Override
        public long remainingNanos() {
            return Long.MAX_VALUE;
        }

        @Override
        public void checkActive() {
            if (looksLeft-- <= 0) {
                throw new UniserveException(ErrorCode.CANCELLED, "the caller has gone");
            }
        }
    };

    @Test
    void anExpressionMatchesWholeTextsAsJavaDoes() {
        Predicate<String> matches = CancellationChecker.of(context).regexPredicate("a(b|\\uD83D\\uDE00)*c");
        assertThat(matches).accepts("ac", "abbc", "ab\uD83D\uDE00c").rejects("abcd", "", "xabc");
    }

    @Test
    void oneThatNeverEndsEndsWithTheQuery() {
        looksLeft = 100;
        Predicate<String> matches = CancellationChecker.of(context).regexPredicate("(.*a){14}b");
        assertThatThrownBy(() -> matches.test("a".repeat(60)))
                .isInstanceOfSatisfying(
                        UniserveException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.CANCELLED));
        assertThat(looksLeft).isEqualTo(-1);
    }

    @Test
    void oneThatIsNoneIsTheUsers() {
        for (String regex : new String[] {"(a", "*", "a{3,1}", "(".repeat(100_000) + ")".repeat(100_000)}) {
            assertThatThrownBy(() -> CancellationChecker.of(context).regexPredicate(regex))
                    .isInstanceOfSatisfying(
                            UniserveException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT));
        }
        Predicate<String> deep = CancellationChecker.of(context).regexPredicate("(a|b)*");
        assertThatThrownBy(() -> deep.test("ab".repeat(1_000_000)))
                .isInstanceOfSatisfying(
                        UniserveException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT));
    }

    @Test
    void bytesAreWrittenWhileTheQueryLives() {
        looksLeft = 2;
        var bytes = CancellationChecker.of(context).outputStream();
        bytes.write(new byte[3], 0, 3);
        bytes.write(new byte[3], 1, 2);
        assertThat(bytes.size()).isEqualTo(5);
        assertThatThrownBy(() -> bytes.write(new byte[3], 0, 3)).isInstanceOf(UniserveException.class);
    }
}
