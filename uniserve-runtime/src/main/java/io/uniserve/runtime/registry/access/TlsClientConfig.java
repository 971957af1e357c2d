package io.uniserve.runtime.registry.access;

import org.apache.zookeeper.ClientCnxnSocketNetty;
import org.apache.zookeeper.client.ZKClientConfig;
import org.apache.zookeeper.common.ClientX509Util;
import org.jspecify.annotations.Nullable;

/** Configuration of one ZooKeeper client with TLS. It sets no system property, and system properties change none of its files. */
final class TlsClientConfig extends ZKClientConfig {
    private static final String PROTOCOLS = "TLSv1.3,TLSv1.2";
    private static final String TYPE = "PKCS12";

    private final KeyStoreFiles files;
    private final String identityKey;

    TlsClientConfig(ZooKeeperTls tls, KeyStoreFiles files) {
        this.files = files;
        try (ClientX509Util names = new ClientX509Util()) {
            identityKey = names.getSslKeystoreLocationProperty();
            setProperty(SECURE_CLIENT, "true");
            setProperty(ZOOKEEPER_CLIENT_CNXN_SOCKET, ClientCnxnSocketNetty.class.getName());
            setProperty(names.getSslProviderProperty(), "JDK");
            setProperty(names.getSslEnabledProtocolsProperty(), PROTOCOLS);
            setProperty(identityKey, files.identity());
            setProperty(names.getSslKeystorePasswdProperty(), files.password());
            setProperty(names.getSslKeystorePasswdPathProperty(), "");
            setProperty(names.getSslKeystoreTypeProperty(), TYPE);
            setProperty(names.getSslTruststoreLocationProperty(), files.trust());
            setProperty(names.getSslTruststorePasswdProperty(), files.password());
            setProperty(names.getSslTruststorePasswdPathProperty(), "");
            setProperty(names.getSslTruststoreTypeProperty(), TYPE);
            setProperty(names.getSslHostnameVerificationEnabledProperty(), Boolean.toString(tls.checkHostName()));
            setProperty(names.getSslCrlEnabledProperty(), "false");
            setProperty(names.getSslOcspEnabledProperty(), "false");
        }
    }

    /** ZooKeeper's client asks for the key store at each connection: changed files are then read again. */
    @Override
    public String getProperty(String key, @Nullable String defaultValue) {
        if (key.equals(identityKey)) {
            files.refresh();
        }
        return super.getProperty(key, defaultValue);
    }
}
