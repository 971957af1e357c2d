package io.uniserve.runtime.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Files with private keys, right and wrong ones. */
class PemPrivateKeysTest {
    @TempDir
    Path directory;

    private static PrivateKey generate(String kind, int bits) throws GeneralSecurityException {
        KeyPairGenerator generator = KeyPairGenerator.getInstance(kind);
        generator.initialize(bits);
        return generator.generateKeyPair().getPrivate();
    }

    private Path file(String text) throws IOException {
        return Files.writeString(directory.resolve("key.pem"), text);
    }

    private void refused(Path file, String why) {
        assertThatThrownBy(() -> PemPrivateKeys.read("tls.key-file", file))
                .isInstanceOfSatisfying(UniserveException.class, e -> {
                    assertThat(e.code()).isEqualTo(ErrorCode.INVALID_CONFIGURATION);
                    assertThat(e.reason()).contains("tls.key-file: file " + file, why);
                });
    }

    @Test
    void keysOfBothKindsAreRead() throws IOException, GeneralSecurityException {
        for (PrivateKey key : new PrivateKey[] {generate("EC", 256), generate("RSA", 2_048)}) {
            Path file = file("a comment\n" + PemBlocks.encode(PemBlocks.KEY, key.getEncoded()));
            assertThat(PemPrivateKeys.read("tls.key-file", file)).isEqualTo(key);
        }
    }

    @Test
    void otherFilesAreRefusedWithTheRemedy() throws IOException, GeneralSecurityException {
        String remedy = "give a private key in PEM, PKCS#8, without a password";
        byte[] key = generate("EC", 256).getEncoded();
        refused(directory.resolve("absent"), "is missing or not readable");
        refused(file(""), remedy);
        refused(file(PemBlocks.encode("ENCRYPTED PRIVATE KEY", key)), remedy);
        refused(file(PemBlocks.encode("CERTIFICATE", key)), remedy);
        refused(file("-----END PRIVATE KEY-----\n-----BEGIN PRIVATE KEY-----\n"), remedy);
        refused(file("-----BEGIN PRIVATE KEY-----\nA\n-----END PRIVATE KEY-----\n"), remedy);
        refused(file(PemBlocks.encode(PemBlocks.KEY, new byte[0])), "no key of kind EC or RSA");
        refused(file(PemBlocks.encode(PemBlocks.KEY, generate("DSA", 1_024).getEncoded())), "no key of kind EC or RSA");
        refused(file("#".repeat(Limits.CONFIG_FILE_BYTES_MAX + 1)), "more than " + Limits.CONFIG_FILE_BYTES_MAX);
    }
}
