from duckrisk.cli import main

main()
